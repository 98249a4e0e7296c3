extension CoreError {
  /// The fault of a message that the core should send, edit, delete or find. The same command fails again.
  public enum ItemFault: String, Hashable, Sendable, CaseIterable {
    /// It has more bytes than relays accept.
    case tooLarge = "largeMsg"
    /// The message that it quotes is deleted, or is not a message that can be quoted.
    case quote = "invalidQuote"
    /// It mentions too many members, or one whose name is not in the text.
    case mention = "invalidMention"
    /// The core has no message with this number.
    case notFound = "chatItemNotFound"
    /// The core has no message with this shared id.
    case sharedIDNotFound = "chatItemSharedMsgIdNotFound"
    /// The core has a message with this shared id already.
    case duplicate = "duplicateGroupMessage"
    /// The time for edits is over, or it is deleted, or it is not the user's own.
    case notEditable = "invalidChatItemUpdate"
    /// The time for deletions is over, or it is deleted, or it is not the user's own.
    case notDeletable = "invalidChatItemDelete"
    /// The core has no file under the path, or may not look there.
    case noFile = "fileNotFound"
    /// The file is larger than the core sends.
    case fileTooLarge = "fileSize"

    /// A sentence for people.
    var sentence: String {
      switch self {
      case .tooLarge: "the post is too large: with its quote and preview it may take \(CoreMessageSize.bytesMax) bytes"
      case .quote: "the core cannot quote this post: it is deleted, or not a message"
      case .mention: "the core does not accept the mentions: there are too many, or a name is not in the text"
      case .notFound, .sharedIDNotFound: "the core does not have this post"
      case .duplicate: "the core has this post already"
      case .notEditable: "the core does not edit this post: only own posts of the last 24 hours can be edited"
      case .notDeletable:
        "the core does not delete this post for readers: only own posts of the last 30 hours can be deleted, but older ones can be "
          + "taken out of the history of the relays"
      case .noFile: "the core does not find the file, or may not look there. Put it there for the core's user and retry"
      case .fileTooLarge: "the file is larger than the core sends, which is 1 GB for most"
      }
    }
  }
}
