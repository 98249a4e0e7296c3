public import Sentences
internal import StrictJSON
public import Varlink

// The sentence for each error that an interface declares. An error without one does not compile.

extension OperatorsRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchOperator(let id, let name): .noSuchObject("operator", id: id, name: name)
    case .duplicateName(let name): .duplicateName(name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidDomain(let domain, let reason): .invalidDomain(domain, reason: reason)
    case .operatorInUse(let servers, let relays): .operatorInUse(servers: servers, relays: relays)
    case .staleRevision(let current): .staleRevision(of: current.map { "operator \($0.id)" })
    case .declaredByFile(let field, let file): .declaredByFile(field: field, file: file)
    case .validationFailed(let findings): .validationFailed(findings.map(\.message))
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension ServersRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchServer(let id, let name): .noSuchObject("server", id: id, name: name)
    case .ambiguousName(let name, let ids): .ambiguousName("server", name, ids: ids)
    case .noSuchOperator(let id, let name): .noSuchObject("operator", id: id, name: name)
    case .invalidAddress(let address, let reason, let position):
      .invalidAddress(address, reason: reason, position: position)
    case .duplicateAddress(let id): .duplicateAddress("server", id: id)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .staleRevision(let current): .staleRevision(of: current.map { "server \($0.id)" })
    case .declaredByFile(let field, let file): .declaredByFile(field: field, file: file)
    case .validationFailed(let findings): .validationFailed(findings.map(\.message))
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension RelaysRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchRelay(let id, let name): .noSuchObject("relay", id: id, name: name)
    case .noSuchOperator(let id, let name): .noSuchObject("operator", id: id, name: name)
    case .invalidAddress(let address, let reason, let position):
      .invalidAddress(address, reason: reason, position: position)
    case .duplicateAddress(let id): .duplicateAddress("relay", id: id)
    case .duplicateName(let name): .duplicateName(name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidDomain(let domain, let reason): .invalidDomain(domain, reason: reason)
    case .relayInUse(let channels): .relayInUse(channels: channels)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .staleRevision(let current): .staleRevision(of: current.map { "relay \($0.id)" })
    case .declaredByFile(let field, let file): .declaredByFile(field: field, file: file)
    case .validationFailed(let findings): .validationFailed(findings.map(\.message))
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension IdentitiesRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchIdentity(let id, let name): .noSuchObject("identity", id: id, name: name)
    case .ambiguousName(let name, let ids): .ambiguousName("identity", name, ids: ids)
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .duplicateName(let name): .duplicateIdentity(name)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidCredential(let credential, let reason): .invalidCredential(credential, reason: reason)
    case .identityInUse(let channels): .identityInUse(channels: channels)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension ChannelsRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchChannel(let id, let name): .noSuchObject("channel", id: id, name: name)
    case .ambiguousName(let name, let ids): .ambiguousName("channel", name, ids: ids)
    case .notFollowed(let id): .notFollowed(channel: id)
    case .notOwned(let id): .notOwned(channel: id)
    case .owned(let id): .owned(channel: id)
    case .invalidLink(let reason): .invalidLink(reason: reason)
    case .noKnownRelay(let addresses): .noKnownRelay(addresses: addresses)
    case .notFollowable(let reason): .notFollowable(reason: reason)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .noSuchRelay(let id): .noSuchObject("relay", id: id, name: nil)
    case .notInChannel(_, let name): .notInChannel(relay: "the relay '\(name)'")
    case .noSuchIdentity(let name): .noSuchObject("identity", id: nil, name: name)
    case .noEnabledRelays(let network): .noEnabledRelays(network: network)
    case .noGroupRelays(let network, let untested): .noGroupRelays(network: network, untested: untested)
    case .tooManyRelays(let wanted, let max): .tooManyRelays(wanted: wanted, max: max)
    case .notEnoughRelays(let wanted, let available): .notEnoughRelays(wanted: wanted, available: available)
    case .idempotencyKeyReused(let id, let isDeleted): .idempotencyKeyReused(channel: id, isDeleted: isDeleted)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidProfile(let field, let reason): .invalidProfile(field: field, reason: reason)
    case .invalidImage(let reason): .invalidImage(reason: reason)
    case .alreadyInChannel(let relay, let status): .alreadyInChannel(relay: relay, status: status)
    case .groupNeedsOneRelay: .groupNeedsOneRelay
    case .noGroupSupport(let relay, let reason): .noGroupSupport(relay: relay, reason: reason)
    case .staleRevision(let current): .staleRevision(of: current["id"]?.integer.map { "channel \($0)" })
    case .lastRelay: .lastRelay
    case .networkMismatch(let relay): .networkMismatch(relay: relay)
    case .noLink(let id): .noLink(channel: id)
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension PostsRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchPost(let id): .noSuchObject("post", id: id, name: nil)
    case .noSuchChannel(let id, let name): .noSuchObject("channel", id: id, name: name)
    case .noSuchRelay(let id): .noSuchObject("relay", id: id, name: nil)
    case .invalidPost(let field, let reason): .invalidPost(field: field, reason: reason)
    case .idempotencyKeyReused(let id, let isDeleted): .postKeyReused(post: id, isDeleted: isDeleted)
    case .channelFrozen(let id): .channelFrozen(channel: id)
    case .notOwned(let id): .notOwned(channel: id)
    case .notCancellable(let id): .postNotCancellable(post: id)
    case .invalidRetention(let field, let reason): .invalidRetention(field: field, reason: reason)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension MessagesRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchMessage(let id): .noSuchObject("message", id: id, name: nil)
    case .noSuchChannel(let id, let name): .noSuchObject("channel", id: id, name: name)
    case .notFollowed(let id): .notFollowed(channel: id)
    case .invalidMessage(let id, let reason): .invalidMessage(message: id, reason: reason)
    case .invalidSearch(let reason): .invalidSearch(reason: reason)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension MembersRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchChannel(let id, let name): .noSuchObject("channel", id: id, name: name)
    case .noSuchMember(let channel, let author): .noSuchMember(channel: channel, author: author)
    case .invalidMember(let field, let reason): .invalidMember(field: field, reason: reason)
    case .notFollowed(let id): .notFollowed(channel: id)
    case .notOwned(let id): .notOwned(channel: id)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .networkUnavailable(_, let reason): .networkUnavailable(reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension PeopleRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchPerson(let author): .noSuchPerson(author: author)
    case .noSuchChannel(let id, let name): .noSuchObject("channel", id: id, name: name)
    case .notFollowed(let id): .notFollowed(channel: id)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension MonitorRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
    case .revisionCompacted(let oldest): .revisionCompacted(oldest: oldest)
    case .tooSlow(let revision): .tooSlow(revision: revision)
    case .tooManySubscribers: .tooManySubscribers
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension DaemonRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidConfiguration(let problems): .invalidConfiguration(problems.map(\.words))
    case .noSuchDaemon(let name): .noSuchDaemon(name: name)
    case .notShared: .notShared
    case .storeIsShared: .storeIsShared
    case .tooManyConnections(let of, let max): .tooManyConnections(of: of, max: max)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension ServiceRefusal {
  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .invalidConfiguration(let reason): .invalidConfiguration([reason])
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}

extension Problem {
  /// The problem with its place, as editors understand it.
  fileprivate var words: String {
    ([file] + [line, column].compactMap { $0.map { String($0) } }).joined(separator: ":") + ": \(text)"
  }
}

extension RefusalSentence {
  /// An error of Varlink's own, or an error that this version does not know.
  fileprivate static func of(service error: VarlinkError) -> Self {
    switch error.name {
    case VarlinkError.permissionDenied.name: .permissionDenied
    case VarlinkError.invalidParameter("").name: .invalidParameter(error.parameters["parameter"]?.string ?? "?")
    default: Self(error.description)
    }
  }
}

extension VarlinkError {
  /// The sentence for people about an error of any control interface.
  public var sentence: RefusalSentence {
    let type = Interfaces.refusals.first { name.hasPrefix($0.interface + ".") }
    return type?.init(self).sentence ?? .of(service: self)
  }
}

extension VarlinkClient.Failure {
  /// The sentence for people about a call that got no answer.
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit in words, if someone has set one.
  public func sentence(at path: String, within limit: String? = nil) -> RefusalSentence {
    switch self {
    case .notReachable(let reason):
      RefusalSentence("\(reason). Is batond running?", "Name another socket with --socket or $BATON_SOCKET", after: " ")
    case .notPermitted(let reason): RefusalSentence(reason, "join the group of the socket, or be root")
    case .disconnected:
      RefusalSentence("the daemon closed the connection, so the outcome is unknown", "check whether the request took effect")
    case .notTaken: RefusalSentence("the daemon closed the connection before it handled the request", "try again")
    case .timedOut:
      RefusalSentence(limit.map { "the daemon did not answer within \($0)" } ?? "the daemon did not answer in time")
    case .protocolBroken(let reason): RefusalSentence("the program that answers at \(path) does not speak Varlink: \(reason)")
    }
  }
}
