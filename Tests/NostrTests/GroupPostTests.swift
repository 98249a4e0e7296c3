import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Posts of groups as they are stored.
struct GroupPostTests {
  private func altered(_ document: PostDocument, _ change: (inout [String: JSONValue]) -> Void) throws -> PostDocument {
    var members = try #require(try JSONParser.parse(document.text).object)
    change(&members)
    return PostDocument(networkID: document.networkID, author: document.author, text: JSONValue.object(members).text)
  }

  @Test func newPostHasNoName() {
    let post = makeGroupPost(1)
    #expect(post.id.isEmpty && post.ids.isEmpty && post.createdAt == nil && post.document.networkID.isEmpty)
    #expect(GroupPost(post.document) == post)
  }

  @Test func eachAttemptIsAnEventOfItsOwn() throws {
    let (first, event) = makeGroupPost(1).dated(at: 100)
    let signed = try event.post.signed(by: sessionKey, createdAt: event.createdAt)
    #expect(signed.id == event.id && first.id == event.id && first.createdAt == 100)
    #expect(event.unsigned.sentBytes == signed.sentBytes)
    let second = first.dated(at: 107).post
    #expect(second.attempts.map(\.createdAt) == [100, 107] && second.id != first.id && second.createdAt == 107)
    #expect(second.ids == [second.id, first.id])
    #expect(GroupPost(second.document) == second)
  }

  /// A clock that was set back gives a date twice.
  @Test func sameDateIsTheSameEvent() {
    let post = makeGroupPost(1, datedAt: 100, 107, 100)
    #expect(post.attempts.map(\.createdAt) == [107, 100] && post.createdAt == 100)
  }

  @Test func readersSayWhichAttemptItIs() {
    let post = makeGroupPost(1, datedAt: 100, 107, 109)
    let found = post.found(post.attempts[0].id)
    #expect(found.id == post.attempts[0].id && found.createdAt == 100 && found.attempts == post.attempts)
    #expect(found.ids == [0, 2, 1].map { post.attempts[$0].id })
    #expect(GroupPost(found.document) == found && found.document.networkID == found.id)
    #expect(found.dated(at: 120).post.found == nil, "that one was not found yet")
    #expect(post.found("other") == post)
  }

  @Test func onlyTheLatestAttemptsAreKept() {
    let post = (1...100 as ClosedRange<Int64>).reduce(makeGroupPost(1)) { $0.dated(at: $1).post }
    #expect(post.attempts.map(\.createdAt) == Array(69...100))
    #expect(GroupPost(post.document) == post)
  }

  @Test func damagedDocumentIsNone() throws {
    let post = makeGroupPost(1, datedAt: 100, 107)
    let document = post.found(post.attempts[1].id).document
    #expect(GroupPost(document) != nil)
    let other = makeGroupPost(2, datedAt: 100)
    let changes: [(inout [String: JSONValue]) -> Void] = [
      { $0["kind"] = nil }, { $0["kind"] = 42 }, { $0["kind"] = "9" }, { $0["kind"] = 9_005 },
      { $0["tags"] = nil }, { $0["tags"] = [] }, { $0["tags"] = [["h", "other"]] }, { $0["tags"] = [["h", 1]] },
      { $0["tags"] = [["h", "club"], []] }, { $0["tags"] = [["h", "club"], ["h", "club"]] },
      { $0["content"] = nil }, { $0["content"] = "another" }, { $0["content"] = .null },
      { $0["attempts"] = nil }, { $0["attempts"] = [] }, { $0["attempts"] = [[.string(post.id)]] },
      { $0["attempts"] = [[.string(post.id), 106]] }, { $0["attempts"] = [[.string(other.id), 100]] },
      { $0["attempts"] = [[.string(post.id), 107, 1]] },
      { $0["attempts"] = [[.string(post.id), 107], [.string(post.id), 107]] },
      { $0["found"] = .string(other.id) }, { $0["found"] = .null }, { $0["found"] = "" },
      { $0["more"] = 1 },
    ]
    for (number, change) in changes.enumerated() { #expect(GroupPost(try altered(document, change)) == nil, "\(number)") }
    for text in ["", "{}", "[]", "not JSON", document.text + "x", String(document.text.dropLast())] {
      #expect(GroupPost(PostDocument(networkID: document.networkID, author: document.author, text: text)) == nil, "\(text)")
    }
    for id in ["", post.attempts[0].id, other.id] {
      #expect(GroupPost(PostDocument(networkID: id, author: document.author, text: document.text)) == nil, "\(id)")
    }
    #expect(GroupPost(PostDocument(networkID: document.networkID, author: "me", text: document.text)) == nil)
    #expect(GroupPost(PostDocument(makePost(1))) == nil, "that is an event")
    let long = try altered(document) { $0["attempts"] = .array(Array(repeating: [.string(post.id), 107], count: 33)) }
    #expect(GroupPost(long) == nil)
  }

  @Test func deletionNamesAllAttempts() throws {
    let post = makeGroupPost(1, datedAt: 100, 107, 109)
    let deletion = GroupDeletion(author: sessionKey.publicKey, reason: "wrong")
    #expect(GroupDeletion(deletion.document) == deletion)
    let events = try deletion.events(for: post.found(post.attempts[1].id), in: sessionGroup)
    let named = [1, 2, 0].map { ["e", post.attempts[$0].id] }
    #expect(
      events == [
        .option(kind: 5, tags: [["h", "club"]] + named + [["k", "9"]], content: "wrong"),
        .draft(kind: 9_005, tags: [["h", "club"]] + named, content: "wrong"),
      ])
    #expect(throws: DeletionRefusal.nothingNamed) { try deletion.events(for: makeGroupPost(1), in: sessionGroup) }
  }

  @Test func damagedDeletionIsNone() throws {
    let document = GroupDeletion(author: sessionKey.publicKey, reason: "").document
    #expect(GroupDeletion(document) != nil)
    for text in ["", "{}", "{\"reason\":1}", "{\"reason\":\"\",\"more\":1}", "[\"reason\"]", makeDeletion(1).text] {
      #expect(GroupDeletion(PostDocument(networkID: "", author: document.author, text: text)) == nil, "\(text)")
    }
    #expect(GroupDeletion(PostDocument(networkID: "", author: "me", text: document.text)) == nil)
    #expect(GroupDeletion(PostDocument(makeDeletion(1))) == nil)
  }
}
