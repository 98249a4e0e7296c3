import Channels
import RelayNetwork
import Testing

@testable import SimpleX

/// What Baton stores of an order to the core, and which are possible.
struct OrderFormTests {
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)
  private let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: "5/public-17", trustAnchor: "", document: "{}")

  /// A network whose core no one asks.
  private func network() throws -> SimpleXNetwork { try .unconnected(at: Self.now) }

  private func order(
    _ wish: MembershipChange.Wish, _ person: String = "bWVtYmVy", roles: [String] = [], reason: String = "",
    letsIn: Bool = false
  ) throws(PostFailure) -> OrderForm? {
    guard let network = try? network() else { return nil }
    let change = MembershipChange(person: person, wish, roles: roles, reason: reason, letsIn: letsIn)
    return OrderForm(try network.composeMembership(change, in: content))
  }

  @Test func wishesAreOrders() throws {
    #expect(try order(.removed)?.order == .removeMember)
    #expect(try order(.banned)?.order == .block(true) && order(.unbanned)?.order == .block(false))
    for role in [CoreMember.Role.observer, .member, .moderator, .admin, .owner] {
      #expect(try order(.member, roles: [role.rawValue])?.order == .setRole(role))
    }
    #expect(try order(.member, "#17")?.order == .setRole(.observer))
  }

  @Test func nobodyIsLetIn() {
    let failure = #expect(throws: PostFailure.self) { try order(.member, letsIn: true) }
    guard case .unsupported(let reason)? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    #expect(reason.contains("batonctl member role"))
  }

  @Test(arguments: ["", "channel", "channel#5", "#", "#x", "#-1", "#017", "with space", "é"])
  func othersThanMembersAreRefused(person: String) {
    #expect(throws: PostFailure.self) { try order(.removed, person) }
  }

  @Test(arguments: [["relay"], ["author"], ["king"], ["Admin"], ["member", "admin"]])
  func rolesThatTheCoreDoesNotGiveAreRefused(roles: [String]) {
    let failure = #expect(throws: PostFailure.self) { try order(.member, roles: roles) }
    guard case .refused(let refusal)? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    #expect(refusal.field == .roles)
  }

  @Test func reasonsAreRefused() throws {
    #expect(throws: PostFailure.self) { try order(.removed, reason: "spam") }
    let message = PostReference(networkID: "17/c2hhcmVk", author: "bWVtYmVy")
    let network = try network()
    #expect(throws: PostFailure.self) {
      try network.composeRemoval(of: message, createdAt: Self.now, in: content, reason: "spam")
    }
    for name in ["", "after-16", "x"] {
      #expect(throws: PostFailure.self) {
        try network.composeRemoval(
          of: PostReference(networkID: name, author: "bWVtYmVy"), createdAt: Self.now, in: content, reason: "")
      }
    }
  }

  @Test func whatIsStoredIsReadBack() throws {
    let message = PostReference(networkID: "17/c2hhcmVk", author: "bWVtYmVy")
    let removal = try network().composeRemoval(of: message, createdAt: Self.now, in: content, reason: "").message
    let orders = [try order(.removed), try order(.banned), try order(.unbanned), try order(.member, "#7"), OrderForm(removal)]
    for case var form in orders {
      let stored = try #require(form?.document)
      #expect(OrderForm(stored) == form && PostForm(stored) == nil && ReactionForm(stored) == nil)
      #expect(stored.networkID.isEmpty && stored.author == "channel")
      form?.course.reached = [CoreMember.ID(rawValue: 7)]
      form?.course.sentAt = Self.now
      let later = try #require(form?.document)
      #expect(OrderForm(later) == form && later != stored)
      let network = try network()
      // It says what the core may carry out yet, and nothing that anyone wrote.
      #expect(network.remnant(of: later) == later.text && network.date(of: later) == Self.now)
      #expect(network.reference(to: later, at: [])?.networkID == "" && network.link(to: later, at: []) == nil)
      let forecast = network.forecast(of: PostPlace(document: later, publishedAt: Self.now, capabilities: []))
      #expect(!forecast.canEdit && !forecast.canDelete)
      #expect(try network.composeDeletion(of: later, in: content, reason: "").author == "channel")
    }
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"order":"removeMember"}"#, #"{"target":"bWVt"}"#, #"{"order":"remove","target":"bWVt"}"#,
    #"{"order":"setRole","target":"bWVt"}"#, #"{"order":"setRole","role":"relay","target":"bWVt"}"#,
    #"{"order":"block","role":"admin","target":"bWVt"}"#, #"{"order":"block","target":"channel"}"#,
    #"{"order":"removeMessage","target":"after-3"}"#, #"{"order":"removeMessage","target":""}"#,
    #"{"order":"block","target":"bWVt","more":1}"#, #"{"order":"block","target":"bWVt","reached":7}"#,
    #"{"order":"block","target":"bWVt","sentAt":"1"}"#, #"{"order":"block","target":"bWVt","withdrawn":[]}"#,
  ])
  func whatBatonDidNotWriteIsNotRead(text: String) {
    #expect(OrderForm(PostDocument(networkID: "", author: "channel", text: text)) == nil)
  }

  @Test func knownMembersAreBounded() {
    var known = KnownMembers()
    func name(_ number: Int) -> KnownMembers.Name { .init(group: .init(rawValue: 1), member: "\(number)") }
    for number in 0..<KnownMembers.max + 1 { known.note(.init(rawValue: Int64(number)), as: name(number)) }
    #expect(known[name(0)] == nil && known[name(1)] == .init(rawValue: 1))
    known.note(.init(rawValue: 9), as: name(1))
    #expect(known[name(1)] == .init(rawValue: 9) && known[name(2)] != nil)
    known.forget(name(1))
    #expect(known[name(1)] == nil)
    #expect(known[KnownMembers.Name(group: .init(rawValue: 2), member: "3")] == nil)
  }
}
