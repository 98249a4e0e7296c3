internal import Nostr
internal import Synchronization

/// The functions of a relay that offers groups (NIP-29).
extension SandboxRelay {
  /// The relay's own public key in 64 hexadecimal digits, or `nil` without groups. It signs the states of the relay's groups.
  public var groupKey: String? { groups.withLock { $0?.key.publicKey } }

  /// The public key of the relay's contact, which signs nothing.
  public static let contactKey = String(repeating: "c0", count: 32)

  /// The ids of the groups that exist, sorted.
  public var groupIDs: [String] { groups.withLock { $0?.groups.keys.sorted() ?? [] } }

  /// The public keys of a group's admins, sorted. Empty if the group does not exist.
  public func groupAdmins(of id: String) -> [String] { groups.withLock { $0?.groups[id]?.admins ?? [] } }

  /// Has the relay itself remove a member from a group (kind 9001), even an admin.
  /// - Returns: false if the group does not exist.
  /// - Throws: the error of the relay's file if it cannot be written.
  @discardableResult
  public func removeFromGroup(_ publicKey: String, group id: String) throws -> Bool {
    try moderate(9001, [["h", id], ["p", publicKey]])
  }

  /// Has the relay itself delete a group (kind 9008).
  /// - Returns: false if the group does not exist.
  /// - Throws: the error of the relay's file if it cannot be written.
  @discardableResult
  public func deleteGroup(_ id: String) throws -> Bool { try moderate(9008, [["h", id]]) }

  private func moderate(_ kind: Int, _ tags: [[String]]) throws -> Bool {
    let key = groups.withLock { $0?.key }
    guard let key, let event = NostrEvent(signedBy: key, createdAt: now(), kind: kind, tags: tags, content: "") else {
      return false
    }
    return try takeAsGroup(event)?.accepted ?? false
  }

  /// Processes an event that concerns groups: decides, stores, and sends to all connections. It handles one event at a time, so that
  /// no one gets two changes in the wrong order.
  /// - Returns: the answer, or `nil` if the event does not concern groups.
  func takeAsGroup(_ event: NostrEvent) throws -> GroupStore.Answer? {
    let (fault, now) = (fault, now())
    return try groups.withLock { groups in
      if fault == .groupTaken, event.kind == GroupAction.createGroup.rawValue, let id = event.tag("h"),
        let claim = NostrEvent(signedBy: stranger, createdAt: now, kind: event.kind, tags: [["h", id]], content: ""),
        let answer = groups?.take(claim, now: now)
      {
        try carryOut(answer)
      }
      guard let answer = groups?.take(event, now: now, letsIn: fault != .waitingRoom) else { return nil }
      try carryOut(answer)
      return answer
    }
  }

  private func carryOut(_ answer: GroupStore.Answer) throws {
    for event in answer.stored { _ = try store.add(event) }
    try store.remove(answer.removed)
    push(answer.stored + answer.states)
  }

  /// Offers events to the subscriptions of all connections.
  func push(_ events: [NostrEvent]) {
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections {
      for event in events { connection.offer(event) }
    }
  }

  func forgetAll() {
    groups.withLock { groups in
      groups?.forgetAll()
      store.forgetAll()
    }
  }

  // MARK: - Reading

  /// The events that the relay serves to a client that authenticated with `keys`, newest first, as changed by its fault.
  func find(_ filter: EventFilter, for keys: Set<String>) -> [NostrEvent] {
    let fault = fault
    let groups = groups.withLock { $0 }
    let events = store.find(filter) { groups?.isReadable($0, by: keys) ?? true }
      .map { fault.served($0, stranger: stranger) }
    let states = (groups?.states(of: filter.tags["d"]) ?? []).filter { groups?.isReadable($0, by: keys) ?? true }
      .map { fault.served($0, stranger: stranger) }.filter(filter.matches)
    return states.isEmpty ? events : filter.newest(events + states)
  }

  /// The reason why a request is not answered, or `nil`.
  func refusal(of filters: [EventFilter], for keys: Set<String>) -> String? {
    groups.withLock { $0?.refusal(of: filters, by: keys) }
  }

  /// An event as a subscription of a client with `keys` gets it, or `nil` if the client may not have it.
  func served(_ event: NostrEvent, to keys: Set<String>) -> NostrEvent? {
    guard groups.withLock({ $0?.isReadable(event, by: keys) ?? true }) else { return nil }
    return fault.served(event, stranger: stranger)
  }
}
