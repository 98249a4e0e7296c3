import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr
@testable import Sandbox

/// Letting people into groups and out, at relays of the sandbox, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct MembershipNetworkTests {
  private typealias Desk = GroupNetworkTests.Desk
  private static let (alice, bob) = (PostSamples.alice, PostSamples.bob)

  private static func change(
    _ person: String = alice, isMember: Bool = true, roles: [String] = [], reason: String = ""
  ) -> MembershipChange {
    MembershipChange(person: person, isMember ? .member : .removed, roles: roles, reason: reason)
  }

  /// The people in one of the lists that the relay serves.
  private func list(_ kind: Int, at desk: Desk) throws -> [[String]] {
    let filter: JSONValue = ["kinds": [.integer(Int64(kind))], "#d": [.string(desk.content.networkID)]]
    return desk.relay.find(try #require(EventFilter(filter)), for: []).first.map { event in
      event.tags.filter { $0.first == "p" }.map { Array($0.dropFirst()) }
    } ?? []
  }

  /// Makes a change and reads it back.
  private func make(_ change: MembershipChange, at desk: Desk) async throws -> [DeliveryOutcome] {
    let form = try desk.bench.network.composeMembership(change, in: desk.content)
    let sent = await desk.deliver(.publish, form)
    return sent.outcomes + (await desk.deliver(.verify, sent.form).outcomes)
  }

  @Test func peopleComeChangeAndGo() async throws {
    let desk = try await Desk()
    let done: [DeliveryOutcome] = [.handedOver, .accepted, .verified(edition: 1)]
    let form = try desk.bench.network.composeMembership(Self.change(), in: desk.content)
    #expect(await desk.deliver(.verify, form).outcomes == [.missing])
    let first = try await make(Self.change(), at: desk)
    #expect(first == done, "\(first)")
    #expect(try list(39_002, at: desk).contains([Self.alice]) && !list(39_001, at: desk).contains { $0[0] == Self.alice })
    #expect(try await make(Self.change(roles: ["admin", "herald"]), at: desk) == done)
    #expect(try list(39_001, at: desk).contains([Self.alice, "admin", "herald"]))
    #expect(await desk.deliver(.verify, form).outcomes == [.missing], "she is no plain member any more")
    #expect(try await make(Self.change(), at: desk) == done)
    #expect(try await make(Self.change(Self.bob, roles: ["admin"]), at: desk) == done)
    #expect(try await make(Self.change(isMember: false, reason: "spam"), at: desk) == done)
    #expect(try !list(39_002, at: desk).contains([Self.alice]) && list(39_002, at: desk).contains([Self.bob]))
    // Once more does no harm.
    #expect(try await make(Self.change(isMember: false), at: desk) == done)
    await desk.end()
  }

  @Test func whatIsGivenUpAsksNothingOfTheRelay() async throws {
    let desk = try await Desk()
    let network = desk.bench.network
    let form = try network.composeMembership(Self.change(), in: desk.content)
    #expect(await desk.deliver(.publish, form).outcomes == [.handedOver, .accepted])
    let before = desk.relay.counts.eventsReceived
    let deletion = try network.composeDeletion(of: form, in: desk.content, reason: "")
    #expect(await desk.deliver(.withdraw, form, deletion: deletion).outcomes == [.withdrawn])
    #expect(await desk.deliver(.verify, form, deletion: deletion).outcomes == [.missing])
    #expect(desk.relay.counts.eventsReceived == before)
    #expect(try list(39_002, at: desk).contains([Self.alice]))
    await desk.end()
  }

  @Test func relayThatRefusesOrLiesIsNotBelieved() async throws {
    let desk = try await Desk()
    let form = try desk.bench.network.composeMembership(Self.change(), in: desk.content)
    try await desk.relay.set(.foreignGroup)
    let sent = await desk.deliver(.publish, form)
    guard case .refused(let trouble)? = await desk.deliver(.verify, sent.form).outcomes.last else {
      return #expect(Bool(false))
    }
    #expect(trouble.cause == .wrongIdentity)
    try await desk.relay.set(.none)
    #expect(await desk.deliver(.verify, sent.form).outcomes == [.verified(edition: 1)])
    try await desk.relay.set(.refuse)
    let second = try desk.bench.network.composeMembership(Self.change(Self.bob), in: desk.content)
    guard case .refused? = await desk.deliver(.publish, second).outcomes.last else { return #expect(Bool(false)) }
    await desk.end()
  }

  @Test func wishesThatCannotBeAreRefused() async throws {
    let desk = try await Desk()
    let network = desk.bench.network
    func refusal(_ change: MembershipChange, in content: ChannelContent? = nil) -> String {
      do throws(PostFailure) {
        _ = try network.composeMembership(change, in: content ?? desk.content)
        return "taken"
      } catch {
        return switch error {
        case .refused(let refusal): refusal.field.rawValue
        case .unsupported: "unsupported"
        case .unavailable: "unavailable"
        }
      }
    }
    let own = try #require(MembershipForm(network.composeMembership(Self.change(), in: desk.content))?.author)
    #expect(refusal(Self.change(own)) == "author" && refusal(Self.change(own, isMember: false)) == "author")
    #expect(refusal(Self.change("ada")) == "author" && refusal(Self.change(Self.alice.uppercased())) == "author")
    for role in ["", "a,b", "a\nb", String(repeating: "r", count: 51)] {
      #expect(refusal(Self.change(roles: [role])) == "roles", "\(role)")
    }
    #expect(refusal(Self.change(roles: ["a", "a"])) == "roles" && refusal(Self.change(roles: ["a", "b"])) == "taken")
    #expect(refusal(Self.change(roles: (0..<11).map { "r\($0)" })) == "roles")
    let long = String(repeating: "x", count: 501)
    #expect(refusal(Self.change(isMember: false, reason: long)) == "reason")
    #expect(refusal(Self.change(), in: Saying.content(1)) == "unsupported")
    await desk.end()
  }
}

extension Saying {
  /// A public channel.
  fileprivate static func content(_ number: Int64) -> ChannelContent {
    ChannelContent(
      identity: NetworkBench.identityID, networkID: name(number), trustAnchor: sessionKey.publicKey, document: "{}")
  }
}

/// Changes of who belongs to a group as they are stored, and as readers find them.
struct MembershipFormTests {
  private static let relayKey = pinRelayKey

  private static func lists(members: [String]?, admins: [[String]]?) -> [NostrEvent] {
    func list(_ kind: Int, _ people: [[String]]) -> NostrEvent {
      Saying.event(kind, [["d", "club"]] + people.map { ["p"] + $0 }, by: relayKey)
    }
    return (members.map { [list(39_002, $0.map { [$0] })] } ?? []) + (admins.map { [list(39_001, $0)] } ?? [])
  }

  private static func form(isMember: Bool = true, roles: [String] = []) -> MembershipForm {
    MembershipForm(
      author: sessionKey.publicKey,
      change: MembershipChange(person: PostSamples.alice, isMember ? .member : .removed, roles: roles, reason: "why"),
      clientID: "x7")
  }

  /// What a reader reports, and the form that the post has from then on.
  private static func report(_ form: MembershipForm, _ events: [NostrEvent]) -> (String, MembershipForm?) {
    var reading = GroupListsReading(of: makePinGroup())
    for event in events { reading.take(event) }
    let operation = DeliveryOperation(
      task: .verify, post: PostID(rawValue: 1), channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: 1), address: "ws://r",
      number: 1, content: makePinGroup(), document: form.document)
    guard case .delivery(_, _, _, let outcome, let next) = form.report(reading.answer, for: operation) else {
      return ("?", nil)
    }
    let words =
      switch outcome {
      case .verified: "verified"
      case .missing: "missing"
      case .skipped(let trouble): "skipped \(trouble.cause.rawValue)"
      case .refused(let trouble): "refused \(trouble.cause.rawValue)"
      default: "?"
      }
    return (words, next.flatMap(MembershipForm.init))
  }

  @Test func wishIsFulfilledWhenBothListsShowIt() {
    let (alice, bob) = (PostSamples.alice, PostSamples.bob)
    func outcome(_ form: MembershipForm, _ members: [String]?, _ admins: [[String]]?) -> String {
      Self.report(form, Self.lists(members: members, admins: admins)).0
    }
    #expect(outcome(Self.form(), [alice], []) == "verified" && outcome(Self.form(), [bob], []) == "missing")
    #expect(outcome(Self.form(), [alice], nil) == "verified")
    #expect(outcome(Self.form(), [alice], [[alice, "admin"]]) == "missing", "she has a role still")
    #expect(outcome(Self.form(roles: ["admin"]), [alice], []) == "missing")
    #expect(outcome(Self.form(roles: ["admin"]), [alice], [[alice, "admin"]]) == "verified")
    #expect(outcome(Self.form(roles: ["a", "b"]), [alice], [[alice, "b", "a"]]) == "verified", "roles have no order")
    #expect(outcome(Self.form(roles: ["a"]), [alice], [[alice, "a", "b"]]) == "missing")
    #expect(outcome(Self.form(roles: ["admin"]), nil, [[alice, "admin"]]) == "verified", "whoever has a role is a member")
    #expect(outcome(Self.form(isMember: false), [bob], []) == "verified")
    #expect(outcome(Self.form(isMember: false), [alice], []) == "missing")
    #expect(outcome(Self.form(isMember: false), [bob], [[alice, "admin"]]) == "missing")
    #expect(outcome(Self.form(isMember: false), nil, [[alice, "admin"]]) == "missing")
  }

  @Test func relayThatTookItAndShowsNoListIsSkippedAfterAWhile() {
    for form in [Self.form(), Self.form(isMember: false)] {
      let nothing = Self.lists(members: nil, admins: [])
      #expect(Self.report(form, nothing) == ("missing", nil), "it was never sent")
      var now = form.taken
      for looks in 1..<PinForm.vainLooksMax {
        let (words, next) = Self.report(now, nothing)
        #expect(words == "missing" && next?.vainLooks == looks)
        now = next ?? now
      }
      let (words, next) = Self.report(now, [])
      #expect(words == "skipped notSupported" && next?.vainLooks == nil)
    }
  }

  @Test func formIsReadAsItWasWritten() {
    for form in [Self.form(), Self.form(roles: ["a", "b"]).taken, Self.form(isMember: false)] {
      #expect(MembershipForm(form.document) == form)
      #expect(PinForm(form.document) == nil && GroupRemnant(form.document) == nil && GroupDeletion(form.document) == nil)
    }
    #expect(MembershipForm(makePin(1).document) == nil)
    let document = Self.form().document
    for (old, new) in [
      ("\"isMember\":true", "\"isMember\":1"), ("\"roles\":[]", "\"roles\":[1]"), ("\"reason\"", "\"cause\""),
      (PostSamples.alice, "alice"), ("{", "{\"vainLooks\":3,"), ("{", "{\"vainLooks\":-1,"), ("{", "{\"more\":1,"),
    ] {
      let text = document.text.replacing(old, with: new)
      #expect(
        text != document.text && MembershipForm(PostDocument(networkID: "", author: document.author, text: text)) == nil,
        "\(new)")
    }
    #expect(MembershipForm(PostDocument(networkID: "x", author: document.author, text: document.text)) == nil)
  }

  @Test func textsAreReadAsTheyWereWritten() {
    for change in [
      MembershipChange(person: "p", .member), MembershipChange(person: "p", .member, roles: ["a", "b c: d"]),
      MembershipChange(person: "p", .removed), MembershipChange(person: "p", .removed, reason: "a: b, c"),
    ] {
      #expect(MembershipChange(text: change.text, person: "p") == change, "\(change.text)")
    }
    for text in ["", "members", "spam: x", "Member"] { #expect(MembershipChange(text: text, person: "p") == nil) }
  }
}
