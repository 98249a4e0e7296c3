internal import Channels
public import Yams

/// The error in a text that should be YAML, with its place.
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

  /// Reads an error of the YAML library.
  public init(_ error: any Error) {
    switch error {
    case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _):
      self.init(line: mark.line, column: mark.column, text: problem)
    case YamlError.reader(let problem, let offset, _, let yaml):
      // The library counts in bytes from the start.
      let before = yaml.utf8.prefix(offset ?? 0)
      let line = before.count { $0 == 0x0A } + 1
      let column =
        before.count - (before.lastIndex(of: 0x0A).map { before.distance(from: before.startIndex, to: $0) + 1 } ?? 0) + 1
      self.init(line: line, column: column, text: problem)
    case YamlError.duplicatedKeysInMapping(let keys, let context):
      self.init(
        line: context.mark.line, column: context.mark.column,
        text: "the key \(keys.joined(separator: ", ")) is written twice")
    default: self.init(line: 1, column: 1, text: "the file is not YAML")
    }
  }

  /// The outermost node of `text`, or nil when it is empty.
  /// - Throws: `YAMLTrouble`.
  public static func compose(_ text: String) throws(YAMLTrouble) -> Yams.Node? {
    let text = HumanText.text(text)
    try Self.refuseAliases(text)
    do {
      return try Yams.compose(yaml: text, .default, .default, .utf8)
    } catch {
      throw YAMLTrouble(error)
    }
  }

  /// Refuses aliases, with which a few lines can stand for billions. It must happen before the library reads the text, because it works
  /// through keys that are built that way. An alias needs the same name behind `&` and behind `*`. Any other text with these marks is
  /// harmless. Their place does not matter, so there is nothing to get wrong about quotes and comments.
  private static func refuseAliases(_ text: String) throws(YAMLTrouble) {
    let bytes = Array(text.utf8)
    /// The name behind a mark, in the letters that names of anchors have.
    func name(after index: Int) -> ArraySlice<UInt8> {
      bytes[(index + 1)...].prefix { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
          || byte == 0x2D
      }
    }
    var anchors: Set<ArraySlice<UInt8>> = []
    for index in bytes.indices where bytes[index] == UInt8(ascii: "&") { anchors.insert(name(after: index)) }
    anchors.remove([])
    guard !anchors.isEmpty else { return }
    for index in bytes.indices where bytes[index] == UInt8(ascii: "*") && anchors.contains(name(after: index)) {
      let before = bytes[..<index]
      let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      throw YAMLTrouble(
        line: before.count { $0 == 0x0A } + 1, column: index - lineStart + 1, text: "anchors and aliases are not allowed")
    }
  }
}
