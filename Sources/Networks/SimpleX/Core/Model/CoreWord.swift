/// A word from a list that newer versions of the core may make longer.
public enum CoreWord<Known: RawRepresentable<String> & Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
  case known(Known)
  /// A word unknown to this version of Baton.
  case unknown(String)

  /// - Parameter text: the word as written in JSON.
  public init(_ text: String) { self = Known(rawValue: text).map(Self.known) ?? .unknown(text) }

  /// The word, or `nil` if it is not known.
  public var known: Known? { if case .known(let word) = self { word } else { nil } }

  /// The word as written in JSON.
  public var text: String {
    switch self {
    case .known(let word): word.rawValue
    case .unknown(let text): text
    }
  }

  public var description: String { text }
}

extension CoreReader {
  /// The member `key` as a word.
  func word<Known: RawRepresentable<String>>(_ key: String, of type: Known.Type = Known.self) throws(CoreShapeError)
    -> CoreWord<Known>
  { CoreWord(try string(key)) }
}
