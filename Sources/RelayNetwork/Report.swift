/// A report of a message to relay operators, and to readers who look at reports.
public struct Report: Hashable, Sendable {
  /// The problem with the message. The raw values are NIP-56's words, and are stored.
  public enum Category: String, Hashable, Sendable, CaseIterable {
    case nudity, malware, profanity, illegal, spam, impersonation, other
  }
  public var category: Category
  /// Additional words from the reporter. They may be empty.
  public var words: String

  /// Upper bound of `words`, in UTF-8 bytes.
  public static let wordsBytesMax = 500

  public init(category: Category, words: String = "") {
    self.category = category
    self.words = words
  }

  /// Reads a text that `text` wrote, and returns `nil` for any other text.
  public init?(text: String) {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    guard let category = parts.first.flatMap(Category.init(rawValue:)) else { return nil }
    self.init(category: category, words: parts.count > 1 ? parts[1] : "")
  }

  /// The report as the text of a post.
  public var text: String { words.isEmpty ? category.rawValue : "\(category.rawValue): \(words)" }
}
