internal import StrictJSON

// What stays of a post that was forgotten here: enough to name it, to delete it, and to know what a reply to it takes. The core keeps a
// copy of its own, with all that the post says.
extension PostForm {
  /// More than any quote takes.
  private static let quoteBytesMax = Int64(CoreItemContent.textBytesMax) * 8

  /// Whether nothing is left of what the post says. Then it cannot be sent, nor be found in the core by what it says.
  var isForgotten: Bool { forgottenBytes != nil }

  /// What a quote of the post takes of the size of a reply, in bytes.
  var quoteBytes: Int { forgottenBytes ?? CoreMessageSize.quoted(message) }

  /// The form without what the author wrote.
  var forgotten: PostForm {
    var remnant = PostForm(text: "")
    (remnant.edition, remnant.sentAt, remnant.deletion) = (edition, sentAt, deletion)
    remnant.forgottenBytes = quoteBytes
    return remnant
  }

  /// Reads a number of bytes that was stored.
  static func bytes(_ json: JSONValue) -> Int? {
    json.integer.flatMap { (0...quoteBytesMax).contains($0) ? Int($0) : nil }
  }
}
