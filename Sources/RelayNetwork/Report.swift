/// A report of a message to those who run relays, and to readers who look at reports.
public struct Report: Hashable, Sendable {
  /// What is wrong with the message. The words are stored, and those of NIP-56.
  public enum Category: String, Hashable, Sendable, CaseIterable {
    case nudity, malware, profanity, illegal, spam, impersonation, other
  }
  public var category: Category
  /// What is said besides; may be empty.
  public var words: String

  /// Upper bound of `words`, in UTF-8 bytes.
  public static let wordsBytesMax = 500

  public init(category: Category, words: String = "") {
    self.category = category
    self.words = words
  }

  /// Reads what `text` wrote; `nil` if it is anything else.
  public init?(text: String) {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    guard let category = parts.first.flatMap(Category.init(rawValue:)) else { return nil }
    self.init(category: category, words: parts.count > 1 ? parts[1] : "")
  }

  /// The report as the text of a post.
  public var text: String { words.isEmpty ? category.rawValue : "\(category.rawValue): \(words)" }
}
