internal import Channels
internal import ControlAPI
internal import Coordinator
internal import RelayNetwork
internal import Storage
internal import StrictJSON

/// Errors of an interface that correspond to errors of the daemon.
protocol ControlRefusal: InterfaceRefusal {
  /// The error as the interface declares it. Every interface goes through all of the daemon's errors.
  /// - Returns: `nil` if none of its methods may be refused for this reason: then the daemon is at fault.
  init?(_ error: BatonError, _ coordinator: Coordinator)
}

extension OperatorsRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .noSuchOperator(let id): self = .noSuchOperator(id: id.rawValue, name: nil)
    case .invalidDisplayName(let reason): self = .invalidDisplayName(reason: reason)
    case .duplicateName(let name): self = .duplicateName(name: name)
    case .invalidDomain(let domain, let reason): self = .invalidDomain(domain: domain, reason: reason)
    case .staleRevision(.operator(let row)): self = .staleRevision(current: Operator(row))
    case .declaredByFile(let field, let file): self = .declaredByFile(field: field, file: file)
    case .operatorInUse(let servers, let relays): self = .operatorInUse(servers: servers, relays: relays)
    case .wouldBreak(let findings): self = .validationFailed(findings: findings.map(Finding.init))
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .choiceChanged, .noSuchServer, .noSuchRelay, .noSuchChannel, .noSuchIdentity, .noEnabledRelays,
      .noGroupRelays,
      .notEnoughRelays, .tooManyRelays, .invalidProfile, .invalidImage, .invalidAddress, .duplicateAddress,
      .staleRevision, .invalidFiles, .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused,
      .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay, .relayInUse,
      .networkUnavailable, .post, .message, .following:
      return nil
    }
  }
}

extension ServersRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .noSuchOperator(let id): self = .noSuchOperator(id: id.rawValue, name: nil)
    case .noSuchServer(let id): self = .noSuchServer(id: id.rawValue, name: nil)
    case .invalidAddress(let address, let reason, let position):
      self = .invalidAddress(address: address, reason: reason, position: position)
    case .duplicateAddress(let id): self = .duplicateAddress(id: id)
    case .staleRevision(.server(let row)): self = .staleRevision(current: Server(row, coordinator))
    case .declaredByFile(let field, let file): self = .declaredByFile(field: field, file: file)
    case .wouldBreak(let findings): self = .validationFailed(findings: findings.map(Finding.init))
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .choiceChanged, .noSuchRelay, .noSuchChannel, .noSuchIdentity, .noEnabledRelays, .noGroupRelays,
      .notEnoughRelays,
      .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage, .duplicateName, .invalidDomain,
      .staleRevision, .operatorInUse, .invalidFiles, .networkMismatch, .alreadyInChannel, .notInChannel,
      .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey,
      .lastRelay, .relayInUse, .post, .message, .following:
      return nil
    }
  }
}

extension RelaysRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .noSuchOperator(let id): self = .noSuchOperator(id: id.rawValue, name: nil)
    case .noSuchRelay(let id): self = .noSuchRelay(id: id.rawValue, name: nil)
    case .invalidDisplayName(let reason): self = .invalidDisplayName(reason: reason)
    case .invalidAddress(let address, let reason, let position):
      self = .invalidAddress(address: address, reason: reason, position: position)
    case .duplicateAddress(let id): self = .duplicateAddress(id: id)
    case .duplicateName(let name): self = .duplicateName(name: name)
    case .invalidDomain(let domain, let reason): self = .invalidDomain(domain: domain, reason: reason)
    case .staleRevision(.relay(let row)): self = .staleRevision(current: Relay(row, coordinator))
    case .declaredByFile(let field, let file): self = .declaredByFile(field: field, file: file)
    case .wouldBreak(let findings): self = .validationFailed(findings: findings.map(Finding.init))
    case .relayInUse(let channels): self = .relayInUse(channels: channels)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .choiceChanged, .noSuchServer, .noSuchChannel, .noSuchIdentity, .noEnabledRelays, .noGroupRelays,
      .notEnoughRelays,
      .tooManyRelays, .invalidProfile, .invalidImage, .staleRevision, .operatorInUse, .invalidFiles, .networkMismatch,
      .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel,
      .identityInUse, .invalidKey, .lastRelay, .post, .message, .following:
      return nil
    }
  }
}

extension IdentitiesRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .noSuchIdentity(let name): self = .noSuchIdentity(id: nil, name: name)
    case .invalidDisplayName(let reason): self = .invalidDisplayName(reason: reason)
    case .duplicateName(let name): self = .duplicateName(name: name)
    case .identityInUse(let channels): self = .identityInUse(channels: channels)
    case .invalidKey(let reason): self = .invalidCredential(credential: "", reason: reason)
    case .busy, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .choiceChanged, .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchChannel, .noEnabledRelays,
      .noGroupRelays,
      .notEnoughRelays, .tooManyRelays, .invalidProfile, .invalidImage, .invalidAddress, .duplicateAddress,
      .invalidDomain, .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak, .invalidFiles, .networkMismatch,
      .alreadyInChannel, .notInChannel, .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel,
      .lastRelay, .relayInUse, .post, .message, .following:
      return nil
    }
  }
}

extension ChannelsRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .message(.notFollowed(let id)): self = .notFollowed(id: id.rawValue)
    case .following(let error): self.init(error)
    case .post(.notSupported(let network, let reason)): self = .notSupported(network: network.rawValue, reason: reason)
    case .noSuchRelay(let id): self = .noSuchRelay(id: id.rawValue)
    case .noSuchChannel(let id): self = .noSuchChannel(id: id.rawValue, name: nil)
    case .noSuchIdentity(let name): self = .noSuchIdentity(name: name)
    case .noEnabledRelays(let network): self = .noEnabledRelays(network: network.rawValue)
    case .noGroupRelays(let network, let untested): self = .noGroupRelays(network: network.rawValue, untested: untested)
    case .notEnoughRelays(let wanted, let available): self = .notEnoughRelays(wanted: wanted, available: available)
    case .tooManyRelays(let wanted, let max): self = .tooManyRelays(wanted: wanted, max: max)
    case .invalidDisplayName(let reason): self = .invalidDisplayName(reason: reason)
    case .invalidProfile(let field, let reason): self = .invalidProfile(field: field, reason: reason)
    case .invalidImage(let reason): self = .invalidImage(reason: reason)
    case .networkMismatch(let id): self = .networkMismatch(relayId: id.rawValue)
    case .alreadyInChannel(let id, let status): self = .alreadyInChannel(relayId: id.rawValue, status: status.rawValue)
    case .notInChannel(let id):
      let name = coordinator.relays.first { $0.id == id }?.name ?? "relay \(id.rawValue)"
      self = .notInChannel(relayId: id.rawValue, relayName: name)
    case .idempotencyKeyReused(let id, let isDeleted): self = .idempotencyKeyReused(id: id.rawValue, deleted: isDeleted)
    case .groupNeedsOneRelay: self = .groupNeedsOneRelay
    case .noGroupSupport(let id, let reason): self = .noGroupSupport(relayId: id.rawValue, reason: reason)
    case .staleChannel(let current):
      guard let json = try? Channel(current, ChannelActivity()).json else { return nil }
      self = .staleRevision(current: json)
    case .lastRelay(let id): self = .lastRelay(id: id.rawValue)
    case .busy, .choiceChanged, .elsewhere: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): self = .outcomeUnknown(reason: reason)
    case .networkUnavailable(let network, let reason):
      self = .networkUnavailable(network: network.rawValue, reason: reason)
    case .noSuchOperator, .noSuchServer, .invalidAddress, .duplicateAddress, .duplicateName, .invalidDomain,
      .staleRevision, .declaredByFile, .operatorInUse, .wouldBreak, .invalidFiles, .identityInUse, .invalidKey,
      .relayInUse, .post, .message:
      return nil
    }
  }

  private init(_ error: FollowError) {
    switch error {
    case .notOwned(let id): self = .notOwned(id: id.rawValue)
    case .owned(let id): self = .owned(id: id.rawValue)
    case .invalidLink(let reason): self = .invalidLink(reason: reason)
    case .noKnownRelay(let addresses): self = .noKnownRelay(addresses: addresses)
    case .notFollowable(let reason): self = .notFollowable(reason: reason)
    }
  }
}

extension MonitorRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    case .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchChannel, .noSuchIdentity, .noEnabledRelays,
      .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage,
      .invalidAddress, .duplicateAddress, .duplicateName, .invalidDomain, .staleRevision, .declaredByFile,
      .operatorInUse, .wouldBreak, .invalidFiles, .networkMismatch, .alreadyInChannel, .notInChannel,
      .idempotencyKeyReused, .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey,
      .lastRelay, .choiceChanged, .elsewhere, .relayInUse, .busy, .networkUnavailable, .post, .message, .following,
      .outcomeUnknown:
      return nil
    }
  }
}

extension DaemonRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .invalidFiles(let flaws): self = .invalidConfiguration(problems: flaws.map(Problem.init))
    case .busy: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    // An internal error means that the outcome is unknown, and the journal has the reason.
    case .outcomeUnknown, .choiceChanged, .elsewhere, .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchChannel,
      .noSuchIdentity,
      .noEnabledRelays,
      .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage,
      .invalidAddress, .duplicateAddress, .duplicateName, .invalidDomain, .staleRevision, .declaredByFile,
      .operatorInUse, .wouldBreak, .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused,
      .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay, .relayInUse,
      .networkUnavailable, .post, .message, .following:
      return nil
    }
  }
}

extension ServiceRefusal: ControlRefusal {
  init?(_ error: BatonError, _ coordinator: Coordinator) {
    switch error {
    case .invalidFiles(let flaws):
      self = .invalidConfiguration(reason: flaws.map(\.description).joined(separator: "; "))
    case .busy: self = .busy
    case .storageDamaged(let reason): self = .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): self = .storageUnavailable(reason: reason)
    // An internal error means that the outcome is unknown, and the journal has the reason.
    case .outcomeUnknown, .choiceChanged, .elsewhere, .noSuchOperator, .noSuchServer, .noSuchRelay, .noSuchChannel,
      .noSuchIdentity,
      .noEnabledRelays,
      .noGroupRelays, .notEnoughRelays, .tooManyRelays, .invalidDisplayName, .invalidProfile, .invalidImage,
      .invalidAddress, .duplicateAddress, .duplicateName, .invalidDomain, .staleRevision, .declaredByFile,
      .operatorInUse, .wouldBreak, .networkMismatch, .alreadyInChannel, .notInChannel, .idempotencyKeyReused,
      .groupNeedsOneRelay, .noGroupSupport, .staleChannel, .identityInUse, .invalidKey, .lastRelay, .relayInUse,
      .networkUnavailable, .post, .message, .following:
      return nil
    }
  }
}
