public import Channels
public import RelayNetwork
internal import Storage

/// The reasons why a request is refused. `Sources/ControlServer/Refusals.swift` maps them to the errors of each interface.
public enum BatonError: Error, Hashable, Sendable {
  case noSuchOperator(OperatorID)
  case noSuchServer(ServerID)
  case noSuchRelay(RelayID)
  case noSuchChannel(ChannelID)
  case noSuchIdentity(String)
  /// A request about a post.
  case post(PostError)
  /// A request about messages.
  case message(MessageError)
  /// A request about followed channels.
  case following(FollowError)
  case noEnabledRelays(NetworkKind)
  /// Relays are enabled, but none is known to offer groups.
  case noGroupRelays(NetworkKind, untested: Int)
  case notEnoughRelays(wanted: Int, available: Int)
  /// The request wants more relays than a channel may have.
  case tooManyRelays(wanted: Int, max: Int)
  case invalidDisplayName(reason: String)
  case invalidProfile(field: String, reason: String)
  case invalidImage(reason: String)
  /// - position: the position of the error, in characters from the start.
  case invalidAddress(address: String, reason: String, position: Int?)
  case duplicateAddress(Int64)
  case duplicateName(String)
  case invalidDomain(domain: String, reason: String)
  /// The update was based on an older revision of the object.
  case staleRevision(current: CatalogObject)
  /// A file declares the object, and the field can only be changed there.
  case declaredByFile(field: String, file: String)
  case operatorInUse(servers: Int, relays: Int)
  /// The change would add errors to the catalog as a whole.
  case wouldBreak([CatalogCheck.Finding])
  case invalidFiles([FileFlaw])
  case networkMismatch(RelayID)
  /// The channel has the relay or had it. It gets a former relay again only if the network allows that, after the relay was told.
  case alreadyInChannel(RelayID, RelayStatus)
  /// The channel does not have the relay.
  case notInChannel(RelayID)
  /// The key belongs to a channel whose request was different, or which was deleted since.
  case idempotencyKeyReused(ChannelID, isDeleted: Bool)
  /// A group uses one relay, which never changes.
  case groupNeedsOneRelay
  /// The relay does not offer groups.
  case noGroupSupport(RelayID, reason: String)
  /// The update was based on an older revision of the channel.
  case staleChannel(ChannelSnapshot)
  /// The identity owns channels, or is the one that cannot be removed.
  case identityInUse(channels: Int)
  /// The text is not a valid secret key. The reason does not show it.
  case invalidKey(reason: String)
  /// A channel needs at least one relay. Delete the channel instead.
  case lastRelay(ChannelID)
  /// A picked relay is no longer usable. Pick again.
  case choiceChanged
  /// Another daemon acts for the channel now. Without a channel, another daemon has the catalog and the identities.
  case elsewhere(ChannelID?)
  case relayInUse(channels: Int)
  case busy
  /// Stored data is damaged, so another attempt fails too.
  case storageDamaged(reason: String)
  case storageUnavailable(reason: String)
  /// It is unknown whether it was done: another daemon had to do it, or storage did not answer.
  case outcomeUnknown(reason: String)
  case networkUnavailable(NetworkKind, reason: String)

  init(_ refusal: ProfileRefusal) {
    switch refusal.field {
    case .displayName: self = .invalidDisplayName(reason: refusal.reason)
    case .fullName, .description: self = .invalidProfile(field: refusal.field.rawValue, reason: refusal.reason)
    case .image: self = .invalidImage(reason: refusal.reason)
    }
  }

  /// - Parameter failure: why a change may not be stored.
  init(storing failure: CommitFailure) {
    self =
      if case .inDoubt(let reason) = failure { .outcomeUnknown(reason: reason) } else {
        .storageUnavailable(reason: failure.description)
      }
  }

  /// - Parameter error: why storage is unreadable, or a refusal, which is used unchanged.
  init(reading error: any Error) {
    if let refusal = error as? BatonError {
      self = refusal
    } else if let error = error as? StoreError, error.code == .corrupt {
      self = .storageDamaged(reason: error.description)
    } else {
      self = .storageUnavailable(reason: "\(error)")
    }
  }
}
