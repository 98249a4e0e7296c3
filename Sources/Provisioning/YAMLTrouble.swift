public import Yams

/// What is wrong with a text that should be YAML, and where.
public struct YAMLTrouble: Error, Hashable, Sendable {
  /// Both from 1.
  public let line: Int
  public let column: Int
  public let text: String

  public init(line: Int, column: Int, text: String) {
    self.line = line
    self.column = column
    self.text = text
  }

  /// Reads what the YAML library says.
  public init(_ error: any Error) {
    switch error {
    case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _):
      self.init(line: mark.line, column: mark.column, text: problem)
    case YamlError.duplicatedKeysInMapping(let keys, let context):
      self.init(
        line: context.mark.line, column: context.mark.column,
        text: "the key \(keys.joined(separator: ", ")) is written twice")
    default: self.init(line: 1, column: 1, text: "the file is not YAML")
    }
  }

  /// The outermost node of `text`; nil when it is empty.
  /// - Throws: `YAMLTrouble`.
  public static func compose(_ text: String) throws(YAMLTrouble) -> Yams.Node? {
    do {
      return try Yams.compose(yaml: text, .default, .default, .utf8)
    } catch {
      throw YAMLTrouble(error)
    }
  }
}
