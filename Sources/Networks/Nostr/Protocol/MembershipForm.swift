internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of the wish that someone belong to a group, or not. It is an event that is signed when it leaves (NIP-29, kinds 9000 and
/// 9001), and is fulfilled when the relay's own lists show it.
struct MembershipForm: Hashable, Sendable {
  /// The key that signs.
  let author: String
  let change: MembershipChange
  /// Drawn at random: otherwise two equal wishes within a second would be one event, which relays accept once.
  let clientID: String
  /// How often readers were shown no list of members at all since the relay confirmed the change, or `nil` if it has not confirmed it.
  private(set) var vainLooks: Int?

  init(author: String, change: MembershipChange, clientID: String) {
    self.author = author
    self.change = change
    self.clientID = clientID
  }

  /// The form once the relay accepted the change.
  var taken: MembershipForm {
    var next = self
    next.vainLooks = 0
    return next
  }

  /// The form once the relay showed no list of members, or `nil` if that was expected, because the relay never confirmed the change.
  private var lookedForInVain: MembershipForm? {
    guard let vainLooks else { return nil }
    var next = self
    next.vainLooks = vainLooks + 1 < PinForm.vainLooksMax ? vainLooks + 1 : nil
    return next
  }

  /// The event that asks for it.
  func event(in group: ChannelContent) -> OutgoingEvent {
    let kind = change.wish == .member ? RelayGroup.Request.putUser : .removeUser
    return .draft(
      kind: kind.rawValue,
      tags: [["h", group.networkID], ["p", change.person] + change.roles, [NostrPost.Attempt.clientTag, clientID]],
      content: change.reason)
  }
}

// MARK: - As stored

extension MembershipForm {
  /// The form in which it is stored: an object that only Baton uses, and no relay ever gets. It has no name on the network.
  var document: PostDocument {
    var members: [String: JSONValue] = [
      "person": .string(change.person), "isMember": .bool(change.wish == .member),
      "roles": .array(change.roles.map(JSONValue.string)), "reason": .string(change.reason),
      "clientID": .string(clientID),
    ]
    if let vainLooks { members["vainLooks"] = .integer(Int64(vainLooks)) }
    return PostDocument(networkID: "", author: author, text: JSONValue.object(members).text)
  }

  /// Reads a document that `document` wrote.
  /// - Returns: `nil` for anything else.
  init?(_ document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object, let person = members["person"]?.string,
      case .bool(let isMember)? = members["isMember"], let roles = members["roles"]?.array?.map(\.string),
      let reason = members["reason"]?.string, let clientID = members["clientID"]?.string,
      Set(members.keys).subtracting(["vainLooks"]) == ["person", "isMember", "roles", "reason", "clientID"],
      document.networkID.isEmpty,
      Hex.decode(document.author, count: 32) != nil, Hex.decode(person, count: 32) != nil
    else { return nil }
    let known = roles.compactMap { $0 }
    guard known.count == roles.count else { return nil }
    self.init(
      author: document.author,
      change: MembershipChange(person: person, isMember ? .member : .removed, roles: known, reason: reason), clientID: clientID)
    if let value = members["vainLooks"] {
      guard let looks = value.integer, (0..<Int64(PinForm.vainLooksMax)).contains(looks) else { return nil }
      vainLooks = Int(looks)
    }
  }
}

// MARK: - As readers find it

extension MembershipForm {
  /// The report of a relay's lists.
  func report(_ answer: GroupListsReading.Answer, for operation: DeliveryOperation) -> NetworkReport {
    switch answer {
    case .flawed(let trouble): return operation.report(.refused(trouble))
    case .lists(let lists):
      let roles = lists.roles(of: change.person)
      guard let isListed = lists.isMember(change.person) ?? (roles == nil ? nil : true) else { return unseen(operation) }
      let isFulfilled =
        change.wish == .member ? isListed && Set(roles ?? []) == Set(change.roles) : !isListed && roles == nil
      return operation.report(isFulfilled ? .verified(edition: 1) : .missing)
    }
  }

  /// The report if the relay does not show whether someone belongs to the group.
  private func unseen(_ operation: DeliveryOperation) -> NetworkReport {
    guard let next = lookedForInVain else { return operation.report(.missing) }
    let outcome = next.vainLooks == nil ? DeliveryOutcome.skipped(Self.noList) : .missing
    return operation.report(outcome, form: next.document)
  }

  private static let noList = Trouble(
    .notSupported, "the relay took the change and does not show who belongs to the group (kind 39002), so no one can see it")
}

/// Reads the lists of members that a relay serves for one group.
struct GroupListsReading: Sendable {
  /// The lists as a relay shows them.
  struct Lists: Hashable, Sendable {
    let members: NostrEvent?
    let admins: NostrEvent?

    /// Whether someone is among the members, or `nil` if the relay does not list them.
    func isMember(_ person: String) -> Bool? { members.map { $0.tags.contains { Self.names(person, $0) } } }

    /// The roles of someone, or `nil` if the relay does not list the person with a role.
    func roles(of person: String) -> [String]? {
      admins?.tags.first { Self.names(person, $0) }.map { Array($0.dropFirst(2).filter { !$0.isEmpty }) }
    }

    private static func names(_ person: String, _ tag: [String]) -> Bool { tag.count > 1 && tag[0] == "p" && tag[1] == person }
  }

  enum Answer: Hashable, Sendable {
    case lists(Lists)
    /// Its lists are not credible.
    case flawed(Trouble)
  }

  private let id: String
  /// The key with which the relay signs the state of its groups.
  private let relayKey: String
  private var newest: [Int: NostrEvent] = [:]
  private var flaw: NostrEvent.Flaw?
  /// Whether something was served that the relay did not sign.
  private var hasForeign = false

  /// - Parameter group: must be a group.
  init(of group: ChannelContent) {
    id = group.networkID
    relayKey = group.trustAnchor
  }

  var filter: JSONValue { GroupMembers.filter([id]) }

  /// Accepts an event that the relay serves, if it is such a list.
  mutating func take(_ event: NostrEvent) {
    guard [RelayGroup.adminsKind, GroupMembers.membersKind].contains(event.kind), event.tag("d") == id else { return }
    guard event.publicKey == relayKey else {
      // Anyone may have stored that.
      hasForeign = true
      return
    }
    if let known = newest[event.kind], !event.isNewer(than: known) { return }
    do throws(NostrEvent.Flaw) {
      try event.verify()
      newest[event.kind] = event
    } catch { flaw = error }
  }

  /// The relay's lists, once it has served all.
  var answer: Answer {
    let lists = Lists(members: newest[GroupMembers.membersKind], admins: newest[RelayGroup.adminsKind])
    guard newest.isEmpty else { return .lists(lists) }
    let what = "the relay's lists of members and admins are not"
    if let flaw { return .flawed(Trouble(.wrongIdentity, "\(what) genuine: \(flaw.rawValue)")) }
    return hasForeign ? .flawed(Trouble(.wrongIdentity, "\(what) signed by the relay's own key")) : .lists(lists)
  }
}
