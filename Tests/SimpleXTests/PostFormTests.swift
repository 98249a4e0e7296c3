import Channels
import RelayNetwork
import Testing

@testable import SimpleX

/// What SimpleX can express of a post, and what Baton stores of it.
struct PostFormTests {
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)

  /// A network whose core no one asks.
  private func network(at time: Timestamp = Self.now) throws -> SimpleXNetwork { try .unconnected(at: time) }

  private let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: "5/public-17", trustAnchor: "", document: "{}")

  private func compose(_ draft: PostDraft) throws -> PostDocument { try network().compose(draft, in: content, at: []) }

  private func refusal(_ draft: PostDraft) -> PostRefusal.Field? {
    do throws(PostRefusal) {
      _ = try PostForm(draft)
      return nil
    } catch {
      return error.field
    }
  }

  /// A post that the core has sent.
  private func sent(_ text: String = "Hello", at time: Timestamp = Self.now) throws -> PostDocument {
    var form = PostForm(text: text)
    form.sentAt = time
    return form.document(at: try #require(ItemPlace(name: "17/c2hhcmVk")))
  }

  @Test func textAndAddressesOfFilesAreSent() throws {
    let files = [
      PostDraft.Attachment(url: "https://files.example/a.jpg", altText: "The bridge"),
      PostDraft.Attachment(url: "https://files.example/b.jpg"),
    ]
    let document = try compose(PostDraft(text: "See https://files.example/b.jpg", attachments: files))
    #expect(document.networkID == "" && document.author == "channel")
    let form = try #require(PostForm(document))
    #expect(form.text == "See https://files.example/b.jpg\nhttps://files.example/a.jpg")
    #expect(form.preview?.link == "https://files.example/a.jpg" && form.preview?.title == "The bridge")
    #expect(form.edition == 1 && form.quoted == nil)
  }

  @Test func whatReadersWouldNotSeeIsRefused() {
    let other = PostReference(networkID: "17/c2hhcmVk", author: "channel")
    #expect(refusal(PostDraft(text: "x", quotes: [other])) == .quotes)
    #expect(refusal(PostDraft(text: "x", mentions: ["bob"])) == .mentions)
    #expect(refusal(PostDraft(text: "x", contentWarning: "")) == .contentWarning)
    #expect(refusal(PostDraft(text: "x", hashtags: ["bridge"])) == .hashtags)
    #expect(refusal(PostDraft(text: ":x:", emoji: ["x": "https://files.example/x.png"])) == .emoji)
    #expect(refusal(PostDraft(text: "")) == .text)
    #expect(refusal(PostDraft(text: String(repeating: "x", count: 15_602))) == .text)
    #expect(refusal(PostDraft(text: String(repeating: "x", count: 15_000))) == nil)
  }

  @Test func replyNamesTheItemOfItsParent() throws {
    let network = try network()
    let parent = try #require(network.reference(to: sent(), at: []))
    let form = try #require(PostForm(compose(PostDraft(text: "Yes", replyTo: parent))))
    #expect(form.quoted == CoreItem.ID(rawValue: 17))
    // What is quoted counts, too.
    let large = try #require(network.reference(to: sent(String(repeating: "x", count: 10_000)), at: []))
    #expect(refusal(PostDraft(text: String(repeating: "y", count: 8_000), replyTo: large)) == .text)
    // A post that no one has sent cannot be answered.
    let unsent = try #require(network.reference(to: compose(PostDraft(text: "later")), at: []))
    #expect(refusal(PostDraft(text: "Yes", replyTo: unsent)) == .replyTo)
    #expect(network.reference(to: PostDocument(networkID: "ab", author: "key", text: "{}"), at: []) == nil)
  }

  @Test func editIsTheNextEditionOfTheSamePost() throws {
    let network = try network()
    let old = try sent()
    let document = try network.revise(old, publishedAt: Self.now, as: PostDraft(text: "Hello again"))
    let form = try #require(PostForm(document))
    #expect(form.edition == 2 && form.text == "Hello again" && form.sentAt == Self.now && document.networkID == old.networkID)
    #expect(PostForm(try network.revise(document, publishedAt: Self.now, as: PostDraft(text: "x")))?.edition == 3)
    // It is refused while no one knows whether the first edition was sent: it would not be found under its new text.
    #expect(throws: PostFailure.self) {
      let doubtful = PostForm(text: "Hello").document(at: .after(CoreItem.ID(rawValue: 3)))
      _ = try network.revise(doubtful, publishedAt: Self.now, as: PostDraft(text: "x"))
    }
    #expect(throws: PostFailure.unsupported(SimpleXNetwork.editOver)) {
      try self.network(at: Self.now + .seconds(86_400)).revise(old, publishedAt: Self.now, as: PostDraft(text: "x"))
    }
    // What was not sent yet may be as old as it likes.
    let unsent = try compose(PostDraft(text: "later"))
    #expect(
      try self.network(at: Self.now + .seconds(200_000)).revise(unsent, publishedAt: Self.now, as: PostDraft(text: "x"))
        .networkID == "")
  }

  @Test(arguments: [(0, true, true), (86_400, false, true), (108_000, false, false)])
  func forecastFollowsTheWindowsOfTheNetwork(seconds: Int64, canEdit: Bool, canDelete: Bool) throws {
    let place = PostPlace(document: try sent(), publishedAt: Self.now + .seconds(-50), capabilities: [])
    let forecast = try network(at: Self.now + .seconds(seconds)).forecast(of: place)
    #expect(forecast.canEdit == canEdit && forecast.canDelete == canDelete)
    #expect(forecast.editNote != nil && forecast.deleteNote != nil)
    let end: Duration? = canEdit ? .seconds(86_400) : canDelete ? .seconds(108_000) : nil
    #expect(forecast.until == end.map { Self.now + $0 })
  }

  @Test func whatWasNotSentHasNoTimeToKeep() throws {
    let place = PostPlace(
      document: try compose(PostDraft(text: "later")), publishedAt: Self.now + .seconds(-200_000), capabilities: [])
    let forecast = try network().forecast(of: place)
    #expect(forecast.canEdit && forecast.canDelete && forecast.until == nil)
  }

  @Test func deletionHasNoReason() throws {
    let network = try network()
    #expect(throws: PostFailure.self) { try network.composeDeletion(of: try sent(), in: content, reason: "wrong bridge") }
    #expect(try network.composeDeletion(of: try sent(), in: content, reason: "").author == "channel")
  }

  @Test func whatIsStoredIsReadBack() throws {
    var form = PostForm(text: "Hello\n\"you\"", preview: CoreLinkPreview(link: "https://a.example", title: "A"))
    form.quoted = CoreItem.ID(rawValue: 3)
    form.edition = 4
    form.sentAt = Self.now
    form.deletion = PostForm.Deletion(scope: .history, reached: [CoreMember.ID(rawValue: 7), CoreMember.ID(rawValue: 9)])
    #expect(PostForm(form.document(at: .unsent)) == form)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"edition":1}"#, #"{"edition":0,"text":"x"}"#, #"{"edition":"1","text":"x"}"#,
    #"{"edition":1,"text":"x","more":1}"#, #"{"edition":1,"text":"x","preview":{"link":"a"}}"#,
    #"{"edition":1,"text":"x","preview":{"link":"a","title":"b","image":"c"}}"#, #"{"edition":1,"text":"x","quoted":"3"}"#,
    #"{"edition":1,"text":"x","sentAt":1.5}"#, #"{"edition":1,"text":"x","deletion":{"scope":"all","reached":[]}}"#,
    #"{"edition":1,"text":"x","deletion":{"scope":"history","reached":["7"]}}"#,
  ])
  func whatBatonDidNotWriteIsNotRead(text: String) {
    #expect(PostForm(PostDocument(networkID: "", author: "channel", text: text)) == nil)
  }

  @Test func onlyPostsOfTheChannelAreRead() {
    #expect(PostForm(PostDocument(networkID: "", author: "key", text: #"{"edition":1,"text":"x"}"#)) == nil)
  }

  @Test(arguments: ["", "after-0", "after-16", "17", "17/c2hhcmVk", "17/a-b_c+d/e="])
  func namesAreReadAsTheyAreWritten(name: String) { #expect(ItemPlace(name: name)?.name == name) }

  @Test(arguments: [
    "x", "after-", "after--1", "after-016", "-1", "017", "+1", "17/", "17/a b", "17/\u{7}", "99999999999999999999",
  ])
  func otherNamesAreNotRead(name: String) { #expect(ItemPlace(name: name) == nil) }

  @Test func placesOnlyGoOn() throws {
    let item = ItemPlace.item(CoreItem.ID(rawValue: 17), sharedID: nil)
    let (low, high) = (ItemPlace.after(CoreItem.ID(rawValue: 3)), ItemPlace.after(CoreItem.ID(rawValue: 9)))
    for (a, b, later) in [(ItemPlace.unsent, low, low), (low, item, item), (.unsent, item, item), (low, high, low)] {
      #expect(a.orLater(b) == later && b.orLater(a) == later)
    }
  }
}
