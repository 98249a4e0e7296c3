import Channels
import RelayNetwork
import Testing

@testable import SimpleX

/// What stays of a post on SimpleX that was forgotten here.
struct ForgottenPostTests {
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)

  private let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: "5/public-17", trustAnchor: "", document: "{}")

  /// A network whose core no one asks.
  private func network() throws -> SimpleXNetwork { try .unconnected(at: Self.now) }

  private func sent() throws -> PostDocument {
    var form = PostForm(text: "The bridge is open", preview: CoreLinkPreview(link: "https://a.example", title: "A bridge"))
    (form.edition, form.quoted, form.sentAt) = (3, CoreItem.ID(rawValue: 4), Self.now + .seconds(-60))
    form.deletion = PostForm.Deletion(scope: .everywhere, reached: [CoreMember.ID(rawValue: 7)])
    return form.document(at: try #require(ItemPlace(name: "17/c2hhcmVk")))
  }

  private func forget(_ document: PostDocument) throws -> PostDocument {
    let remnant = try #require(try network().remnant(of: document))
    return PostDocument(networkID: document.networkID, author: document.author, text: remnant)
  }

  @Test func postLeavesNothingOfWhatItSaysBehind() throws {
    let document = try sent()
    let forgotten = try forget(document)
    for word in ["bridge", "example", "quoted", "preview", "text"] { #expect(!forgotten.text.contains(word)) }
    let form = try #require(PostForm(forgotten))
    #expect(form.isForgotten && form.text.isEmpty && form.preview == nil && form.quoted == nil)
    let before = try #require(PostForm(document))
    #expect(form.edition == 3 && form.sentAt == before.sentAt && form.deletion == before.deletion)
    #expect(PostForm(form.document(at: .unsent)) == form)
    // To forget it again changes nothing.
    #expect(try forget(forgotten) == forgotten)
    #expect(try network().whyNotForgotten(in: content) == nil)
  }

  @Test func whatIsForgottenCanBeAnsweredAndDeletedButNotEdited() throws {
    let network = try network()
    let (document, forgotten) = (try sent(), try forget(try sent()))
    // What a reply takes is known still.
    #expect(network.reference(to: forgotten, at: []) == network.reference(to: document, at: []))
    func forecast(_ document: PostDocument) -> PostForecast {
      network.forecast(of: PostPlace(document: document, publishedAt: Self.now, capabilities: []))
    }
    #expect(forecast(forgotten) == forecast(document))
    #expect(network.date(of: forgotten) == network.date(of: document))
    #expect(try network.composeDeletion(of: forgotten, in: content, reason: "").author == "channel")
    #expect(throws: PostFailure.self) { try network.revise(forgotten, publishedAt: Self.now, as: PostDraft(text: "x")) }
  }

  /// It is found in the core by what it says, and by nothing else.
  @Test func postIsNotForgottenWhileNobodyKnowsWhetherItWasSent() throws {
    let network = try network()
    #expect(network.remnant(of: PostForm(text: "x").document(at: .after(CoreItem.ID(rawValue: 3)))) == nil)
    #expect(network.remnant(of: PostForm(text: "x").document(at: .unsent)) != nil)
    #expect(network.remnant(of: PostDocument(networkID: "17", author: "key", text: "{}")) == nil)
  }

  @Test(arguments: [
    #"{"edition":1,"forgottenBytes":-1}"#, #"{"edition":1,"forgottenBytes":9999999999}"#,
    #"{"edition":1,"forgottenBytes":"5"}"#,
  ])
  func remnantThatBatonDidNotWriteIsNotRead(text: String) {
    #expect(PostForm(PostDocument(networkID: "17", author: "channel", text: text)) == nil)
  }
}
