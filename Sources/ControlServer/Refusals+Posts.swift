internal import Channels
internal import ControlAPI
internal import Coordinator

extension PostsRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .post(let error): self.init(error)
    case .following(.notOwned(let id)): self = .notOwned(id: id.rawValue)
    case .noSuchChannel(let id): self = .noSuchChannel(id: id.rawValue, name: nil)
    // The post does not go there.
    case .noSuchRelay(let id), .notInChannel(let id): self = .noSuchRelay(id: id.rawValue)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .noSuchOperator, .noSuchServer, .noSuchIdentity, .noEnabledRelays, .noGroupRelays, .notEnoughRelays, .tooManyRelays,
      .invalidDisplayName, .invalidProfile, .invalidImage, .invalidAddress, .duplicateAddress, .duplicateName, .invalidDomain,
      .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak, .invalidFiles, .networkMismatch, .alreadyInChannel,
      .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay,
      .choiceChanged, .relayInUse, .message, .following:
      return nil
    }
  }

  private init(_ error: PostError) {
    switch error {
    case .frozen(let id): self = .channelFrozen(id: id.rawValue)
    case .noSuchPost(let id): self = .noSuchPost(id: id.rawValue)
    case .invalidPost(let field, let reason): self = .invalidPost(field: field, reason: reason)
    case .keyReused(let id, let isDeleted): self = .idempotencyKeyReused(id: id.rawValue, deleted: isDeleted)
    case .notCancellable(let id): self = .notCancellable(id: id.rawValue)
    case .notSupported(let network, let reason): self = .notSupported(network: network.rawValue, reason: reason)
    case .invalidRetention(let field, let reason): self = .invalidRetention(field: field, reason: reason)
    }
  }
}
