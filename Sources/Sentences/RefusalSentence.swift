/// The reason for a refusal, for people. The daemon's journal and the command line use its words.
public struct RefusalSentence: Hashable, Sendable, CustomStringConvertible {
  /// The problem and the object, as the journal names them.
  public let what: String
  /// The same, with what helps at the command line.
  public let text: String

  /// - Parameters:
  ///   - what: the problem and the object.
  ///   - help: what to do at the command line, or nil for no advice.
  ///   - mark: the text between them.
  public init(_ what: String, _ help: String? = nil, after mark: String = ". ") {
    self.what = what
    text = help.map { what + mark + $0 } ?? what
  }

  /// - Parameter text: the text that the command line shows instead.
  public init(_ what: String, inFull text: String) {
    self.what = what
    self.text = text
  }

  public var description: String { text }
}
