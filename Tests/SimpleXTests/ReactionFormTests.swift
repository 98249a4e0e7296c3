import Channels
import RelayNetwork
import Testing

@testable import SimpleX

/// What SimpleX can express of a reaction, and what Baton stores of it.
struct ReactionFormTests {
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)
  private static let post = PostReference(networkID: "17/c2hhcmVk", author: "channel")

  private let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: "5/public-17", trustAnchor: "", document: "{}")

  /// A network whose core no one asks.
  private func network() throws -> SimpleXNetwork { try .unconnected(at: Self.now) }

  private func refusal(_ text: String, to target: PostReference = post, emoji: [String: String] = [:]) throws -> PostRefusal? {
    do throws(PostRefusal) {
      _ = try ReactionForm(ReactionDraft(target: target, text: text, emoji: emoji))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("+", CoreReaction.thumbsUp), ("-", .thumbsDown), ("👍", .thumbsUp), ("👎", .thumbsDown), ("😀", .smile), ("😂", .laugh),
    ("😢", .sad), ("\u{2764}", .heart), ("\u{2764}\u{FE0F}", .heart), ("🚀", .rocket), ("✅", .check),
  ])
  func eightReactionsAreKnown(text: String, reaction: CoreReaction) throws {
    let document = try network().composeReaction(ReactionDraft(target: Self.post, text: text), in: content)
    let form = try #require(ReactionForm(document))
    #expect(form.reaction == reaction && form.target == CoreItem.ID(rawValue: 17) && form.course == ActCourse())
    #expect(document.networkID.isEmpty && document.author == "channel")
    #expect(PostForm(document) == nil)
  }

  @Test(arguments: ["", "x", "😎", "👍👍", "👍🏽", "+ ", "👍\u{FE0F}", "\u{FE0F}", ":bridge:"])
  func othersAreRefusedWithTheListOfThose(text: String) throws {
    let refusal = try #require(try refusal(text))
    #expect(refusal.field == .reaction)
    for reaction in CoreReaction.allCases { #expect(refusal.reason.contains(reaction.rawValue)) }
  }

  @Test func picturesAreRefused() throws {
    let refusal = try #require(try refusal(":bridge:", emoji: ["bridge": "https://files.example/bridge.png"]))
    #expect(refusal.field == .emoji && refusal.reason.contains("👍"))
  }

  @Test(arguments: ["", "after-16", "x"])
  func postThatTheCoreHasNotSentIsRefused(name: String) throws {
    #expect(try refusal("+", to: PostReference(networkID: name, author: "channel"))?.field == .reaction)
  }

  @Test func whatIsStoredIsReadBack() throws {
    var form = try ReactionForm(ReactionDraft(target: Self.post, text: "🚀"))
    #expect(ReactionForm(form.document) == form)
    form.course.reached = [CoreMember.ID(rawValue: 7), CoreMember.ID(rawValue: 9)]
    form.course.sentAt = Self.now
    form.course.withdrawn = []
    #expect(ReactionForm(form.document) == form)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"reaction":"😎","target":"17"}"#, #"{"reaction":"👍","target":17}"#,
    #"{"reaction":"👍","target":"after-3"}"#,
    #"{"reaction":"👍","target":"17","more":1}"#, #"{"reaction":"👍","target":"17","reached":["7"]}"#,
    #"{"reaction":"👍","target":"17","reached":7}"#, #"{"reaction":"👍","target":"17","sentAt":1.5}"#,
    #"{"reaction":"👍","target":"17","withdrawn":{}}"#, #"{"edition":1,"text":"x"}"#,
  ])
  func whatBatonDidNotWriteIsNotRead(text: String) {
    #expect(ReactionForm(PostDocument(networkID: "", author: "channel", text: text)) == nil)
  }

  @Test func numberOfRelaysIsBounded() {
    let ids = Array(repeating: "1", count: CoreItemInfo.deliveriesMax + 1).joined(separator: ",")
    let text = #"{"reaction":"👍","target":"17","reached":[\#(ids)]}"#
    #expect(ReactionForm(PostDocument(networkID: "", author: "channel", text: text)) == nil)
  }

  @Test func onlyReactionsOfTheChannelAreRead() throws {
    let text = try ReactionForm(ReactionDraft(target: Self.post, text: "+")).document.text
    #expect(ReactionForm(PostDocument(networkID: "", author: "key", text: text)) == nil)
    #expect(ReactionForm(PostDocument(networkID: "17", author: "channel", text: text)) == nil)
  }

  @Test func reactionIsNoPostToReferToAndCanBeTakenBackAtAnyTime() throws {
    let network = try network()
    var form = try ReactionForm(ReactionDraft(target: Self.post, text: "+"))
    form.course.sentAt = Self.now + .seconds(-400_000)
    let document = form.document
    #expect(network.reference(to: document, at: [])?.networkID == "")
    #expect(network.link(to: document, at: []) == nil)
    #expect(network.date(of: document) == form.course.sentAt)
    let forecast = network.forecast(of: PostPlace(document: document, publishedAt: Self.now, capabilities: []))
    #expect(!forecast.canEdit && forecast.canDelete && forecast.until == nil)
    #expect(try network.composeDeletion(of: document, in: content, reason: "").author == "channel")
    #expect(throws: PostFailure.self) { try network.composeDeletion(of: document, in: content, reason: "wrong") }
    #expect(throws: PostFailure.self) { try network.revise(document, publishedAt: Self.now, as: PostDraft(text: "x")) }
    // It cannot be taken back without.
    #expect(network.remnant(of: document) == document.text)
  }
}
