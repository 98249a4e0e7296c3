internal import Nostr

/// The groups of a sandbox relay (NIP-29). It is a value: it decides what to store and to send, and the relay does so.
///
/// Where real relays differ, or NIP-29 leaves the choice, these rules apply here:
/// - Anyone may create groups, under any id. The creator is the only admin at first.
/// - Events without an `h` tag do not concern groups, and are accepted as by any other relay.
/// - Content older than 60 s is refused, like moderation: otherwise deleted content could be replayed.
/// - Authors delete nothing by themselves (kind 5): admins do, and an author who is one asks as one.
/// - Groups are open to everyone's messages unless `restricted`. `closed` concerns joining alone.
/// - An event that was accepted before is answered as a harmless duplicate, except for kinds 9007 and 9021.
/// - A deleted group is unknown, and its id is never used again. Only the 9008 of its events is served.
/// - States are dated like the event that changed them, and never earlier than before: two may have the same date.
/// - A list of pinned posts names events that the group has, and events that were in the list before. Until one is set, there is no list.
/// - Only the fields `name`, `picture`, `about` and the four flags are kept. Other fields are ignored.
struct GroupStore: Sendable {
  /// The relay's answer to an event, and the actions that follow.
  struct Answer: Hashable, Sendable {
    let accepted: Bool
    let text: String
    /// Events to store and to send, in this order.
    var stored: [NostrEvent] = []
    /// Events to send after that. They need not be stored, because they follow from the history.
    var states: [NostrEvent] = []
    /// The ids of events that are not served any more.
    var removed: Set<String> = []

    static func refused(_ text: String) -> Answer { Answer(accepted: false, text: text) }
  }

  /// The number of seconds by which a publisher's clock may deviate.
  static let clockSkewMax: Int64 = 60

  /// The relay's own key, which signs the states.
  let key: SecretKey
  private(set) var groups: [String: Group] = [:]
  private var states: [String: [Group.State: NostrEvent]] = [:]
  private var deletedGroups: Set<String> = []

  /// - Parameter history: events that were accepted before, in the order in which they came. They are not checked again.
  init(key: SecretKey, history: [NostrEvent] = []) {
    self.key = key
    for event in history {
      if let id = event.tag("h") { _ = fold(event, into: id) }
    }
  }

  /// Processes a verified event.
  /// - Parameters:
  ///   - now: Unix time in seconds.
  ///   - letsIn: whether people who ask to join do so immediately.
  /// - Returns: `nil` if the event does not concern groups.
  mutating func take(_ event: NostrEvent, now: Int64, letsIn: Bool = true) -> Answer? {
    if GroupAction.stateKinds.contains(event.kind) { return .refused("restricted: the relay alone describes its groups") }
    if takesHistoryBack(event) { return .refused("blocked: the group's history stays") }
    guard let id = event.tag("h") else {
      return GroupAction.historyKinds.contains(event.kind) ? .refused("blocked: missing group (h) tag") : nil
    }
    if let flaw = Self.flaw(ofModeration: event, now: now) { return .refused(flaw) }
    if event.kind == GroupAction.createGroup.rawValue {
      if groups[id] != nil { return .refused("duplicate: group already exists") }
      if deletedGroups.contains(id) { return .refused("blocked: group was deleted") }
      return Group.unknownPrevious(event, []).map(Answer.refused) ?? admit([event], into: id)
    }
    guard let group = groups[id] else { return .refused("blocked: group '\(id)' doesn't exist") }
    let isJoinOfMember = event.kind == GroupAction.joinRequest.rawValue && group.isMember(event.publicKey)
    if group.kinds[event.id] != nil, !group.erased.contains(event.id), !isJoinOfMember {
      return Answer(accepted: true, text: "duplicate: have it already")
    }
    if event.kind == 5 { return .refused("blocked: only admins delete here, by kind 9005") }
    if event.createdAt < now - Self.clockSkewMax { return .refused("blocked: event too old") }
    if let text = group.refusal(of: event, isRelay: event.publicKey == key.publicKey) { return .refused(text) }
    let isKept = !letsIn && event.kind == GroupAction.joinRequest.rawValue
    return admit([event] + (isKept ? [] : reaction(to: event, in: id, now: now)), into: id)
  }

  /// The states of groups.
  /// - Parameter ids: the ids of groups, or `nil` for all groups.
  func states(of ids: Set<String>?) -> [NostrEvent] {
    let chosen = ids.map { ids in states.filter { ids.contains($0.key) } } ?? states
    return chosen.values.flatMap { states in Group.State.allCases.compactMap { states[$0] } }
  }

  mutating func forgetAll() { self = GroupStore(key: key) }

  // MARK: - Refusing

  /// Checks that moderation is recent. Otherwise it could be replayed.
  private static func flaw(ofModeration event: NostrEvent, now: Int64) -> String? {
    guard GroupAction.moderationKinds.contains(event.kind) else { return nil }
    if event.createdAt < now - clockSkewMax { return "invalid: created_at too early, moderation is at most 60 s old" }
    if event.createdAt > now + clockSkewMax { return "invalid: created_at too late, moderation is at most 60 s ahead" }
    if GroupAction(rawValue: event.kind) == nil { return "invalid: unknown moderation kind \(event.kind)" }
    let isSignable = event.tags.allSatisfy { $0.allSatisfy(NostrEvent.isSignable) }
    return isSignable ? nil : "invalid: control characters in a tag"
  }

  /// Whether an author tries to delete, by NIP-09, events from which a group is built.
  private func takesHistoryBack(_ event: NostrEvent) -> Bool {
    guard event.kind == 5 else { return false }
    return event.values("e").contains { id in
      groups.values.contains { $0.kinds[id].map(GroupAction.historyKinds.contains) ?? false }
    }
  }

  // MARK: - Admitting

  /// The events that the relay itself adds: it lets people join and leave by its own moderation.
  private func reaction(to event: NostrEvent, in id: String, now: Int64) -> [NostrEvent] {
    let action: GroupAction
    switch GroupAction(rawValue: event.kind) {
    case .joinRequest: action = .putUser
    case .leaveRequest: action = .removeUser
    case nil, .putUser, .removeUser, .editMetadata, .deleteEvent, .createGroup, .deleteGroup, .createInvite, .updatePins:
      return []
    }
    return [
      NostrEvent(
        signedBy: key, createdAt: now, kind: action.rawValue, tags: [["h", id], ["p", event.publicKey]], content: "")
    ].compactMap { $0 }
  }

  private mutating func admit(_ events: [NostrEvent], into id: String) -> Answer {
    var answer = Answer(accepted: true, text: "", stored: events)
    var changed: Set<Group.State> = []
    for event in events {
      let (states, removed) = fold(event, into: id)
      changed.formUnion(states)
      answer.removed.formUnion(removed)
    }
    answer.states = Group.State.allCases.filter(changed.contains).compactMap { states[id]?[$0] }
    return answer
  }

  /// Adds one event to the history of a group.
  /// - Returns: the states that changed, and the ids of events that are gone.
  private mutating func fold(_ event: NostrEvent, into id: String) -> ([Group.State], Set<String>) {
    switch GroupAction(rawValue: event.kind) {
    case .createGroup:
      if groups[id] == nil, !deletedGroups.contains(id) { groups[id] = Group(id: id) }
    case .deleteGroup:
      deletedGroups.insert(id)
      states[id] = nil
      let removed = groups.removeValue(forKey: id)?.kinds.keys
      return ([], Set(removed.map(Array.init) ?? []))
    case nil, .putUser, .removeUser, .editMetadata, .deleteEvent, .createInvite, .updatePins, .joinRequest, .leaveRequest: break
    }
    let changed = groups[id]?.apply(event) ?? []
    for state in changed { states[id, default: [:]][state] = groups[id]?.event(state, signedBy: key) }
    guard event.kind == GroupAction.deleteEvent.rawValue, let group = groups[id] else { return (changed, []) }
    // This admin may not delete events of other groups.
    return (changed, group.erasable(event).filter { group.kinds[$0] != nil })
  }
}
