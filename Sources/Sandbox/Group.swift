internal import Nostr

/// One group on a relay (NIP-29), as its history defines it.
///
/// Only the role `admin` has a meaning, and it may do everything. Other roles are kept and shown, and mean nothing.
struct Group: Sendable {
  /// The states of a group that the relay itself publishes, by kind.
  enum State: Int, CaseIterable, Sendable {
    case metadata = 39000
    case admins = 39001
    case members = 39002
    case roles = 39003
    case pins = 39005
  }

  enum Flag: String, CaseIterable, Sendable {
    /// A group that only members may read.
    case `private`
    /// A group that only members may write to.
    case restricted
    /// A group whose metadata only members may see.
    case hidden
    /// A group that no one may join without an invitation.
    case closed
  }

  static let adminRole = "admin"
  /// The number of latest events that a `previous` tag may refer to.
  static let timelineMax = 50
  /// The fields of the metadata that contain a text, in the order in which they are served.
  static let fields = ["name", "picture", "about"]

  let id: String
  private(set) var texts: [String: String] = [:]
  private(set) var flags: Set<Flag> = []
  /// The roles of every member.
  private(set) var members: [String: [String]] = [:]
  private(set) var codes: Set<String> = []
  /// The tags that name the pinned posts, or `nil` before a list is set.
  private(set) var pins: [[String]]?
  /// The kind of every accepted event, by id.
  private(set) var kinds: [String: Int] = [:]
  /// The ids of the latest events, oldest first.
  private(set) var timeline: [String] = []
  /// The ids of events that an admin deleted.
  private(set) var erased: Set<String> = []
  /// The Unix times at which each state last changed.
  private var changed: [State: Int64] = [:]

  /// Creates an empty group that belongs to no one yet. Apply the event that creates it next.
  init(id: String) { self.id = id }

  func isMember(_ publicKey: String) -> Bool { members[publicKey] != nil }
  func isAdmin(_ publicKey: String) -> Bool { members[publicKey]?.contains(Self.adminRole) ?? false }
  var admins: [String] { members.keys.filter(isAdmin).sorted() }

  // MARK: - History

  /// Adds an event to the group. Call `refusal` first, to see whether it may be added.
  /// - Returns: the states that must be published again.
  mutating func apply(_ event: NostrEvent) -> [State] {
    kinds[event.id] = event.kind
    timeline.append(event.id)
    if timeline.count > Self.timelineMax { timeline.removeFirst() }
    let states = GroupAction(rawValue: event.kind).map { apply($0, event) } ?? []
    // A state never gets an earlier date, although the clocks of admins differ.
    for state in states { changed[state] = max(changed[state] ?? .min, event.createdAt) }
    return states
  }

  private mutating func apply(_ action: GroupAction, _ event: NostrEvent) -> [State] {
    switch action {
    case .createGroup:
      members[event.publicKey] = [Self.adminRole]
      return State.allCases
    case .putUser:
      for tag in event.tags where tag.first == "p" && tag.count > 1 { members[tag[1]] = Array(tag.dropFirst(2)) }
      return [.admins, .members]
    case .removeUser:
      for key in event.values("p") { members[key] = nil }
      return [.admins, .members]
    case .editMetadata:
      // The event holds the whole set of fields: fields that it does not name are removed.
      texts = [:]
      for field in Self.fields { texts[field] = event.tag(field) }
      flags = Set(Flag.allCases.filter { flag in event.tags.contains { $0.first == flag.rawValue } })
      return [.metadata]
    case .deleteEvent:
      erased.formUnion(erasable(event))
      return []
    case .createInvite:
      codes.formUnion(event.values("code"))
      return []
    case .updatePins:
      pins = Self.pins(in: event)
      return [.pins]
    // The relay answers these with its own event, or drops the group.
    case .joinRequest, .leaveRequest, .deleteGroup: return []
    }
  }

  /// The events that a kind 9005 deletes. It never deletes the group's history.
  func erasable(_ event: NostrEvent) -> Set<String> {
    Set(event.values("e").filter { id in kinds[id].map { !GroupAction.historyKinds.contains($0) } ?? true })
  }

  /// The entries of a list of pinned posts.
  static func pins(in event: NostrEvent) -> [[String]] {
    event.tags.filter { $0.count > 1 && ($0[0] == "e" || $0[0] == "a") }
  }

  // MARK: - States

  /// A state of the group, signed by the relay's own key or by another.
  /// - Returns: `nil` if there is nothing to publish, or a text contains characters that are never signed. `refusal` keeps such texts out.
  func event(_ state: State, signedBy key: SecretKey) -> NostrEvent? {
    if state == .pins, pins == nil { return nil }
    return NostrEvent(
      signedBy: key, createdAt: changed[state] ?? 0, kind: state.rawValue, tags: [["d", id]] + tags(state), content: "")
  }

  private func tags(_ state: State) -> [[String]] {
    switch state {
    case .metadata:
      Self.fields.compactMap { field in texts[field].map { [field, $0] } }
        + Flag.allCases.filter(flags.contains).map { [$0.rawValue] }
    case .admins: members.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { ["p", $0.key] + $0.value }
    case .members: members.keys.sorted().map { ["p", $0] }
    case .roles: [["role", Self.adminRole, "may do everything in the group"]]
    case .pins: pins ?? []
    }
  }
}

extension NostrEvent {
  /// The first values of all tags named `name`.
  func values(_ name: String) -> [String] { tags.compactMap { $0.first == name && $0.count > 1 ? $0[1] : nil } }
}
