internal import StrictJSON

extension CoreError: CoreReadable {
  /// Reads an error. This never fails: a value of another form is the error `unknown`.
  init(_ reader: CoreReader) throws(CoreShapeError) { self.init(chatError: reader) }

  /// - Parameter chatError: a `ChatError`.
  init(chatError: CoreReader) {
    self.init(levels: Self.levels(of: chatError.members), entity: chatError.value("connectionEntity_"))
  }

  /// - Parameter agentError: an `AgentErrorType` without an outer error, as in tests of servers.
  init(agentError: CoreReader) {
    self.init(levels: [["type": "errorAgent"]] + Self.levels(of: agentError.members), entity: nil)
  }

  private init(levels: [[String: JSONValue]], entity: JSONValue?) {
    let tags = levels.map { CoreText.bounded($0["type"]?.string ?? "unknown") }
    self.tags = tags
    message = levels.reversed().lazy.compactMap(Self.message).first
    host = levels.reversed().lazy.compactMap(Self.host).first
    place = entity.flatMap(Self.place)
    let offersRestart = levels.contains { $0["offerRestart"]?.bool == true }
    kind = Self.kind(of: tags, offersRestart: offersRestart)
  }

  /// The members in which an error keeps the more exact one inside it.
  private static let innerKeys = [
    "errorType", "agentError", "storeError", "smpErr", "ntfErr", "xftpErr", "brokerErr", "networkError", "transportErr",
    "proxyErr", "protocolErr", "responseErr", "cmdErr", "connErr", "agentErr", "cryptoErr", "fileErr", "rcpErr", "nameErr",
    "simplexDomainError",
  ]
  private static let levelsMax = 10

  private static func levels(of outermost: [String: JSONValue]) -> [[String: JSONValue]] {
    var levels = [outermost]
    while levels.count < levelsMax, let last = levels.last,
      let inner = innerKeys.lazy.compactMap({ last[$0]?.object }).first
    { levels.append(inner) }
    return levels
  }

  private static let messageKeys = [
    "message", "respErr", "connectError", "tlsError", "subscribeError", "internalErr", "criticalErr", "prohibitedErr",
    "linkErr", "queueErr", "storeErr", "responseStr", "errContext", "requiredRole",
  ]

  private static func message(in level: [String: JSONValue]) -> String? {
    messageKeys.lazy.compactMap { level[$0]?.string }.first { !$0.isEmpty }.map(CoreText.bounded)
  }

  private static func host(in level: [String: JSONValue]) -> String? {
    // The error is about the server behind the proxy.
    ["serverAddress", "brokerAddress", "relayServer"].lazy.compactMap { level[$0]?.string }.first { !$0.isEmpty }
      .map(hostOfRelayLink)
  }

  private static func place(_ entity: JSONValue) -> Place? {
    guard entity["type"]?.string == "rcvGroupMsgConnection" else { return nil }
    do throws(CoreShapeError) {
      let reader = try CoreReader(entity)
      return Place(
        group: try reader.object("groupInfo").id("groupId"), member: try reader.object("groupMember").id("groupMemberId"),
        connection: try reader.objectIfPresent("entityConnection").flatMap { try? CoreConnectionStatus(of: $0) })
    } catch {
      return nil
    }
  }

  private static func kind(of tags: [String], offersRestart: Bool) -> Kind {
    let last = tags.last ?? ""
    if tags.first == "errorStore" {
      // In the core's database the tag means a missing entry, not a missing file of the machine.
      if last == ItemFault.noFile.rawValue { return .store(last) }
      return last == "dBBusyError" ? .temporary : itemKind(of: last) ?? .store(last)
    }
    if tags.first == "errorAgent" { return agentKind(of: tags, last, offersRestart) }
    switch last {
    case "noActiveUser": return .noUser
    case "chatNotStarted", "chatStoreChanged": return .notStarted
    case "commandError", "invalidDisplayName", "chatRelayExists", "differentActiveUser", "invalidConnReq", "unsupportedConnReq":
      return .command
    case "groupUserRole", "groupNotJoined", "groupMemberUserRemoved", "groupMemberNotActive": return .notAllowed
    case "peerChatVRangeIncompatible", "agentVersion": return .incompatible
    // Errors of the agent are also inside errors of files and similar ones.
    default: return itemKind(of: last) ?? (tags.contains("BROKER") ? agentKind(of: tags, last, offersRestart) : .other)
    }
  }

  private static func itemKind(of tag: String) -> Kind? { ItemFault(rawValue: tag).map(Kind.item) }

  private static func agentKind(of tags: [String], _ last: String, _ offersRestart: Bool) -> Kind {
    switch last {
    case "unknownCAError": .wrongServer
    case "AUTH" where tags.contains("SMP") || tags.contains("XFTP") || tags.contains("protocolError"): .deadLink
    case "A_VERSION", "VERSION": .incompatible
    case "INACTIVE", "QUOTA": .temporary
    case "CRITICAL": offersRestart ? .temporary : .other
    case "TIMEOUT", "HOST", "NO_SERVICE", "NETWORK": .temporary
    default: tags.contains("NETWORK") ? .temporary : .other
    }
  }
}
