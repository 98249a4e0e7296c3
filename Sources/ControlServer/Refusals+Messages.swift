internal import Channels
internal import ControlAPI
internal import Coordinator

extension MessagesRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .message(.noSuchMessage(let id)): self = .noSuchMessage(id: id.rawValue)
    case .message(.tooManyPinned(let id)):
      self = .invalidMessage(id: id.rawValue, reason: MessageError.pinnedMaxReason)
    case .message(.notFollowed(let id)): self = .notFollowed(id: id.rawValue)
    case .noSuchChannel(let id): self = .noSuchChannel(id: id.rawValue, name: nil)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchIdentity, .noEnabledRelays, .noGroupRelays, .notEnoughRelays,
      .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage, .invalidAddress, .duplicateAddress, .duplicateName,
      .invalidDomain, .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak, .invalidFiles, .networkMismatch,
      .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel,
      .identityInUse, .invalidKey, .lastRelay, .choiceChanged, .relayInUse, .post, .following:
      return nil
    }
  }
}

extension PeopleRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .message(.notFollowed(let id)): self = .notFollowed(id: id.rawValue)
    case .noSuchChannel(let id): self = .noSuchChannel(id: id.rawValue, name: nil)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .message(.noSuchMessage), .message(.tooManyPinned), .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchIdentity,
      .noEnabledRelays,
      .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage, .invalidAddress,
      .duplicateAddress, .duplicateName, .invalidDomain, .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak,
      .invalidFiles, .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay,
      .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay, .choiceChanged, .relayInUse,
      .networkUnavailable, .post, .following:
      return nil
    }
  }
}

extension MembersRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .message(.notFollowed(let id)): self = .notFollowed(id: id.rawValue)
    case .noSuchChannel(let id): self = .noSuchChannel(id: id.rawValue, name: nil)
    case .following(.notOwned(let id)): self = .notOwned(id: id.rawValue)
    case .post(.invalidPost(let field, let reason)): self = .invalidMember(field: field, reason: reason)
    case .post(.notSupported(let network, let reason)): self = .notSupported(network: network.rawValue, reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .message(.noSuchMessage), .message(.tooManyPinned), .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchIdentity,
      .noEnabledRelays,
      .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage, .invalidAddress,
      .duplicateAddress, .duplicateName, .invalidDomain, .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak,
      .invalidFiles, .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay,
      .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay, .choiceChanged, .relayInUse, .post, .following:
      return nil
    }
  }
}
