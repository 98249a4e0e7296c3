import RelayNetwork
import Testing

/// Drafts of posts: what is refused on every network, with the field and what to change.
struct PostDraftTests {
  /// A draft that breaks one rule, the field that must be changed, and a part of the sentence.
  struct Row: CustomTestStringConvertible, Sendable {
    let draft: PostDraft
    let field: PostRefusal.Field
    let words: String

    init(_ field: PostRefusal.Field, _ words: String, _ text: String = "hello", _ change: (inout PostDraft) -> Void = { _ in })
    {
      var draft = PostDraft(text: text)
      change(&draft)
      (self.draft, self.field, self.words) = (draft, field, words)
    }

    var testDescription: String { "\(field.rawValue): \(words)" }
  }

  private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

  private static let page = "https://files.example/a.jpg"

  private static func attached(_ words: String, _ change: (inout PostDraft.Attachment) -> Void) -> Row {
    Row(.attachments, words) { draft in
      var attachment = PostDraft.Attachment(url: page)
      change(&attachment)
      draft.attachments = [PostDraft.Attachment(url: "https://files.example/b.jpg"), attachment]
    }
  }

  private static let texts = [
    Row(.text, "the post is empty", ""), Row(.text, "the post is empty", " \n\t\u{3000}"),
    Row(.text, "the post is empty", "") { $0.replyTo = PostReference(networkID: "a", author: "b") },
    Row(.text, "has 32769 bytes, at most 32768", long(PostDraft.textBytesMax + 1)),
    Row(.text, "U+0000. Remove it", "a\u{0}b"), Row(.text, "U+000D. End lines with a line feed", "a\r\nb"),
    Row(.text, "U+001B", "\u{1B}[31m"), Row(.text, "U+007F", "a\u{7F}"), Row(.text, "U+0085", "a\u{85}"),
  ]

  private static let people = [
    Row(.replyTo, "the parent lacks") { $0.replyTo = PostReference(networkID: "", author: "b") },
    Row(.replyTo, "the parent lacks") { $0.replyTo = PostReference(networkID: "a", author: " ") },
    Row(.quotes, "quote 2 lacks") {
      $0.quotes = [PostReference(networkID: "a", author: "b"), PostReference(networkID: "a b", author: "b")]
    },
    Row(.quotes, "21 quotes, at most 20") {
      $0.quotes = Array(repeating: PostReference(networkID: "a", author: "b"), count: 21)
    },
    Row(.mentions, "mention 2") { $0.mentions = ["alice", "bob\n"] }, Row(.mentions, "mention 1") { $0.mentions = [""] },
    Row(.mentions, "51 mentions, at most 50") { $0.mentions = Array(repeating: "alice", count: 51) },
  ]

  private static let words = [
    Row(.contentWarning, "501 bytes") { $0.contentWarning = long(501) },
    Row(.contentWarning, "in one line") { $0.contentWarning = "a\nb" },
    Row(.hashtags, "hashtag 2 contains a space or a '#'") { $0.hashtags = ["news", "#city"] },
    Row(.hashtags, "hashtag 1 contains a space") { $0.hashtags = ["city news"] },
    Row(.hashtags, "hashtag 1 contains a space") { $0.hashtags = ["city\u{A0}news"] },
    Row(.hashtags, "1 to 100 bytes") { $0.hashtags = [""] }, Row(.hashtags, "1 to 100 bytes") { $0.hashtags = [long(101)] },
    Row(.hashtags, "31 hashtags, at most 30") { $0.hashtags = Array(repeating: "a", count: 31) },
    Row(.emoji, "a shortcode has") { $0.emoji = ["": page] }, Row(.emoji, "a shortcode has") { $0.emoji = ["a-b": page] },
    Row(.emoji, "a shortcode has") { $0.emoji = [":a:": page] }, Row(.emoji, "a shortcode has") { $0.emoji = ["é": page] },
    Row(.emoji, "'soap' must begin with https://") { $0.emoji = ["soap": "soap.png"] },
    Row(.emoji, "51 emoji") { $0.emoji = Dictionary(uniqueKeysWithValues: (0..<51).map { ("a\($0)", page) }) },
  ]

  private static let files = [
    attached("the address of attachment 2 must begin with https://") { $0.url = "ftp://files.example/a" },
    attached("the address of attachment 2 must begin with https://") { $0.url = "javascript:alert(1)" },
    attached("the address of attachment 2 leads to a file of this machine") { $0.url = "file:///srv/files/a.jpg" },
    attached("leads to a file of this machine") { $0.url = "FILE:a" },
    attached("other address 1 of attachment 2 must begin") { $0.fallbacks = ["file:///srv/files/a.jpg"] },
    attached("contains a space") { $0.url = "https://files.example/a b" },
    attached("contains a space") { $0.url = "https://files.example/a\u{0}" },
    attached("names no host") { $0.url = "https:///a" },
    attached("names no host") { $0.url = "http://:80/" },
    attached("user name or password") { $0.url = "https://me:secret@files.example/a" },
    attached("at most 1000") { $0.url = "https://files.example/" + long(1_000) },
    attached("attachment 2 has the same address as attachment 1") { $0.url = "https://files.example/b.jpg" },
    attached("64 hexadecimal digits") { $0.sha256 = long(63) },
    attached("64 hexadecimal digits") { $0.sha256 = long(63) + "g" },
    attached("64 hexadecimal digits") { $0.sha256 = long(63) + "０" }, attached("like image/jpeg") { $0.mimeType = "jpeg" },
    attached("like image/jpeg") { $0.mimeType = "image/" }, attached("like image/jpeg") { $0.mimeType = "image/a b" },
    attached("1 byte or more") { $0.sizeBytes = 0 }, attached("1 byte or more") { $0.sizeBytes = -1 },
    attached("from 1 to 1000000 pixels") { $0.dimensions = .init(width: 0, height: 1) },
    attached("from 1 to 1000000 pixels") { $0.dimensions = .init(width: 1, height: 1_000_001) },
    attached("1001 bytes") { $0.altText = long(1_001) }, attached("control character") { $0.altText = "a\u{1B}" },
    attached("base 83") { $0.blurhash = "LEHV6" }, attached("base 83") { $0.blurhash = "LEHV6 nWB2" },
    attached("has 5, at most 4") { $0.fallbacks = Array(repeating: page, count: 5) },
    attached("other address 2 of attachment 2 must begin") { $0.fallbacks = [page, "b.jpg"] },
    Row(.attachments, "11 attachments, at most 10") { draft in
      draft.attachments = (0..<11).map { PostDraft.Attachment(url: "https://files.example/\($0)") }
    },
  ]

  @Test(arguments: texts + people + words + files)
  func malformedDraftIsRefusedWithItsField(_ row: Row) {
    #expect { try row.draft.validate() } throws: { error in
      guard let refusal = error as? PostRefusal else { return false }
      return refusal.field == row.field && refusal.reason.contains(row.words) && !refusal.reason.contains("\u{1B}")
    }
  }

  /// An address may hold a password, and a text anything: what was entered does not come back, except where it is known to be harmless.
  @Test func refusalsRepeatNothingThatWasEntered() {
    for row in Self.files where row.draft.attachments.last?.url.contains("secret") == true {
      #expect { try row.draft.validate() } throws: { !"\($0)".contains("secret") }
    }
  }

  @Test func whatIsAllowedIsAllowedUpToItsBounds() throws {
    let file = PostDraft.Attachment(
      url: "HTTPS://files.example:8443/ä.jpg?x=y#z", sha256: String(repeating: "aB", count: 32), mimeType: "image/svg+xml",
      sizeBytes: 1, dimensions: .init(width: 1_000_000, height: 1), altText: "two\nlines",
      blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
      fallbacks: Array(repeating: Self.page, count: 4))
    var draft = PostDraft(
      text: Self.long(PostDraft.textBytesMax), contentWarning: "", hashtags: ["Köln", Self.long(100)],
      emoji: ["Soap_1": "http://files.example/soap.png"], attachments: [file])
    try draft.validate()
    draft.text = ""
    try draft.validate()
    let quote = PostReference(networkID: "a", author: "b")
    draft = PostDraft(text: "", quotes: [quote], mentions: ["alice"], contentWarning: "war")
    try draft.validate()
    try PostDraft(text: "a line\n\tand another \u{202E}\u{2028}\u{1F468}\u{200D}\u{1F469}").validate()
  }
}
