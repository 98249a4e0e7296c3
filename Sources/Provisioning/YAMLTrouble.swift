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

  /// The outermost node of `text`; nil when it is empty.
  /// - Throws: `YAMLTrouble`.
  public static func compose(_ text: String) throws(YAMLTrouble) -> Yams.Node? {
    try Self.refuseAliases(text)
    do {
      return try Yams.compose(yaml: text, .default, .default, .utf8)
    } catch {
      throw YAMLTrouble(error)
    }
  }

  /// Refuses anchors and aliases, with which a few lines can stand for billions. It must happen before the library reads the text,
  /// because it works through keys that are built that way.
  private static func refuseAliases(_ text: String) throws(YAMLTrouble) {
    enum State { case plain, comment, single, double }
    var state = State.plain
    var line = 1
    var column = 0
    var previous: UInt8 = 0x0A
    var isEscaped = false
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      column += 1
      let isStart = " \t\n\r[{,".utf8.contains(previous)
      switch state {
      case .plain:
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0x20
        if byte == UInt8(ascii: "#"), isStart { state = .comment }
        if byte == UInt8(ascii: "'"), isStart { state = .single }
        if byte == UInt8(ascii: "\""), isStart { state = .double }
        if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*"), isStart, next > 0x20 {
          throw YAMLTrouble(
            line: line, column: column,
            text: "anchors and aliases are not taken; put quotes around text that begins with & or *")
        }
      case .comment: break
      case .single: if byte == UInt8(ascii: "'") { state = .plain }
      case .double:
        if byte == UInt8(ascii: "\""), !isEscaped { state = .plain }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
      if byte == 0x0A {
        (line, column) = (line + 1, 0)
        if state == .comment { state = .plain }
      }
      previous = byte
    }
  }
}
