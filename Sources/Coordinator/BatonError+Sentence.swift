internal import Channels
internal import RelayNetwork
public import Sentences
internal import Storage

// The journal's sentences about refusals. Clients get the name and its parameters, and build the same sentence from them.
extension BatonError: CustomStringConvertible {
  /// The problem and the object, without the remedy, which depends on the reader.
  public var description: String { sentence.what }

  /// The problem, and the remedy.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchOperator(let id): .noSuchOperator(id: id.rawValue)
    case .noSuchServer(let id): .noSuchServer(id: id.rawValue)
    case .noSuchRelay(let id): .noSuchRelay(id: id.rawValue)
    case .noSuchChannel(let id): .noSuchChannel(id: id.rawValue)
    case .noSuchIdentity(let name): .noSuchIdentity(name: name)
    case .noEnabledRelays(let network): .noEnabledRelays(network: network.rawValue)
    case .noGroupRelays(let network, let untested): .noGroupRelays(network: network.rawValue, untested: untested)
    case .notEnoughRelays(let wanted, let available): .notEnoughRelays(wanted: wanted, available: available)
    case .tooManyRelays(let wanted, let max): .tooManyRelays(wanted: wanted, max: max)
    case .choiceChanged: .choiceChanged
    case .elsewhere(let id): .elsewhere(channel: id?.rawValue)
    case .relayInUse(let channels): .relayInUse(channels: channels)
    case .networkMismatch(let id): .networkMismatch(relayId: id.rawValue)
    case .alreadyInChannel(let id, let status): .alreadyInChannel(relayId: id.rawValue, status: status.rawValue)
    case .notInChannel(let id): .notInChannel(relay: "relay \(id.rawValue)")
    case .lastRelay(let id): .lastRelay(id: id.rawValue)
    case .noGroupSupport(let id, let reason): .noGroupSupport(relayId: id.rawValue, reason: reason)
    case .groupNeedsOneRelay: .groupNeedsOneRelay
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidProfile(let field, let reason): .invalidProfile(field: field, reason: reason)
    case .invalidImage(let reason): .invalidImage(reason: reason)
    case .invalidAddress(let address, let reason, let position):
      .invalidAddress(address: address, reason: reason, position: position)
    case .invalidDomain(let domain, let reason): .invalidDomain(domain: domain, reason: reason)
    case .invalidKey(let reason): .invalidKey(reason: reason)
    case .invalidFiles(let flaws): .invalidConfiguration(flaws.map(\.description))
    case .duplicateAddress(let id): .duplicateAddress(of: "id \(id)")
    case .duplicateName(let name): .duplicateName(name: name)
    case .idempotencyKeyReused(let id, let isDeleted): .idempotencyKeyReused(id: id.rawValue, deleted: isDeleted)
    case .staleRevision(let current): .staleRevision(of: "\(current.kind) \(current.id)")
    case .staleChannel(let channel): .staleRevision(of: "channel \(channel.row.id.rawValue)")
    case .declaredByFile(let field, let file): .declaredByFile(field: field, file: file)
    case .operatorInUse(let servers, let relays): .operatorInUse(servers: servers, relays: relays)
    case .identityInUse(let channels): .identityInUse(channels: channels)
    case .wouldBreak(let findings): .validationFailed(findings.map(\.message))
    case .post(let error): error.sentence
    case .message(let error): error.sentence
    case .following(let error): error.sentence
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason): .networkUnavailable(network: network.rawValue, reason: reason)
    }
  }
}

extension PostError {
  /// The problem, and the remedy.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchPost(let id): .noSuchPost(id: id.rawValue)
    case .invalidPost(let field, let reason): .invalidPost(field: field, reason: reason)
    case .keyReused(let id, let isDeleted): .postKeyReused(id: id.rawValue, deleted: isDeleted)
    case .frozen(let id): .channelFrozen(id: id.rawValue)
    case .notCancellable(let id): .notCancellable(id: id.rawValue)
    case .notSupported(let network, let reason): .notSupported(network: network.rawValue, reason: reason)
    case .invalidRetention(let field, let reason): .invalidRetention(field: field, reason: reason)
    }
  }
}

extension FollowError {
  /// The problem, and the remedy.
  public var sentence: RefusalSentence {
    switch self {
    case .notOwned(let id): .notOwned(id: id.rawValue)
    case .owned(let id): .owned(id: id.rawValue)
    case .invalidLink(let reason): .invalidLink(reason: reason)
    case .noKnownRelay(let addresses): .noKnownRelay(addresses: addresses)
    case .notFollowable(let reason): .notFollowable(reason: reason)
    }
  }
}

extension MessageError {
  /// Why a channel can have no further pinned messages, and what to do.
  public static let pinnedMaxReason = "\(MessagePinning.max) messages of its channel are pinned. Unpin one of them first"

  /// The problem, and the remedy.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchMessage(let id): .noSuchMessage(id: id.rawValue)
    case .tooManyPinned(let id): .invalidMessage(id: id.rawValue, reason: Self.pinnedMaxReason)
    case .notFollowed(let id): .notFollowed(id: id.rawValue)
    }
  }
}
