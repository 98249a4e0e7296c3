internal import RelayNetwork

// The parts of a post that SimpleX can express. The rest is refused: readers would not see it, and no one would notice.
extension PostForm {
  /// - Throws: `PostRefusal` with the part that must be changed.
  init(_ draft: PostDraft) throws(PostRefusal) {
    try draft.validate(takesFiles: true)
    try Self.checkWords(draft)
    let file = try Self.file(draft)
    let missing = draft.attachments.map(\.url).filter { !draft.text.contains($0) && !FileAddress.isMeant(by: $0) }
    let isBlank = draft.text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    self.init(text: ((isBlank ? [] : [draft.text]) + missing).joined(separator: "\n"), preview: Self.preview(draft), file: file)
    guard file == nil || preview == nil else {
      throw PostRefusal(
        .attachments, "SimpleX shows a file or a link with a title, not both. Leave the description of the address out")
    }
    if let parent = draft.replyTo {
      guard let item = ItemPlace(name: parent.networkID)?.item else {
        throw PostRefusal(.replyTo, "the core has not sent the post that this one answers. Answer it once it has")
      }
      quoted = item
    }
    try checkSize(quotedBytes: draft.replyTo?.quoteBytes ?? 0)
  }

  /// The next edition of a post.
  /// - Throws: `PostRefusal` with the part that must be changed.
  init(_ draft: PostDraft, after earlier: PostForm) throws(PostRefusal) {
    // The core keeps the message that a post answers.
    var own = draft
    own.replyTo = nil
    try self.init(own)
    (edition, quoted, sentAt) = (earlier.edition + 1, earlier.quoted, earlier.sentAt)
    try checkSize(quotedBytes: 0)
  }

  /// Readers see the first file that has a description as a link with that title.
  private static func preview(_ draft: PostDraft) -> CoreLinkPreview? {
    for file in draft.attachments {
      if let title = file.altText, !title.isEmpty { return CoreLinkPreview(link: file.url, title: title) }
    }
    return nil
  }

  /// The file that goes along with the post.
  private static func file(_ draft: PostDraft) throws(PostRefusal) -> FileAddress? {
    let files = draft.attachments.compactMap { try? FileAddress($0.url) }
    guard files.count <= 1 else {
      throw PostRefusal(
        .attachments, "SimpleX accepts one file per post, not \(files.count). Publish a post for each file")
    }
    return files.first
  }

  private static func checkWords(_ draft: PostDraft) throws(PostRefusal) {
    guard draft.quotes.isEmpty else {
      throw PostRefusal(.quotes, "posts on SimpleX quote no others. Answer a post of the same channel instead")
    }
    guard draft.mentions.isEmpty else {
      throw PostRefusal(
        .mentions, "channels on SimpleX have no list of readers, so no one can be mentioned. Remove the mentions")
    }
    guard draft.contentWarning == nil else {
      throw PostRefusal(.contentWarning, "SimpleX has no warnings before a post. Write it into the text")
    }
    guard draft.hashtags.isEmpty else {
      throw PostRefusal(.hashtags, "SimpleX has no hashtags. Write them into the text")
    }
    guard draft.emoji.isEmpty else { throw PostRefusal(.emoji, "SimpleX has no custom emoji. Remove them") }
  }

  private func checkSize(quotedBytes: Int) throws(PostRefusal) {
    let size = CoreMessageSize(of: message, for: edition > 1 ? .edit : .new(quotedBytes: quotedBytes))
    guard !size.fits else { return }
    let whole = quotedBytes > 0 ? "with the quoted message and its other parts" : "with its other parts"
    throw PostRefusal(
      .text, "\(whole) the post takes \(size.bytes) bytes, and SimpleX accepts at most \(CoreMessageSize.bytesMax). Shorten it")
  }
}
