internal import StrictJSON

// The remnant of a forgotten post: enough to name it, to delete it, and to know the size of a reply to it. The core keeps its own copy,
// with the whole content.
extension PostForm {
  /// More than the size of any quote.
  private static let quoteBytesMax = Int64(CoreItemContent.textBytesMax) * 8

  /// Whether nothing is left of the post's content. Then it cannot be sent, nor be found in the core by its content.
  var isForgotten: Bool { forgottenBytes != nil }

  /// The size of a quote of the post in a reply, in bytes.
  var quoteBytes: Int { forgottenBytes ?? CoreMessageSize.quoted(message) }

  /// The form without the author's content.
  var forgotten: PostForm {
    var remnant = PostForm(text: "")
    (remnant.edition, remnant.sentAt, remnant.deletion) = (edition, sentAt, deletion)
    remnant.forgottenBytes = quoteBytes
    return remnant
  }

  /// Reads a stored number of bytes.
  static func bytes(_ json: JSONValue) -> Int? {
    json.integer.flatMap { (0...quoteBytesMax).contains($0) ? Int($0) : nil }
  }
}
