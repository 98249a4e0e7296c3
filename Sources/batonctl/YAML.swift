internal import StrictJSON

/// JSON values as YAML 1.2 in block style. Readers of YAML 1.1 get the same values, and nothing in it acts on a terminal.
enum YAML {
  /// The lines of a document, without a line feed at the end. Members are sorted by their keys, as in JSON.
  static func text(_ value: JSONValue) -> String { lines(value).joined(separator: "\n") }

  private static func lines(_ value: JSONValue) -> [String] {
    switch value {
    case .array(let elements) where !elements.isEmpty:
      return elements.flatMap { element -> [String] in
        let inner = lines(element)
        return ["- " + inner[0]] + inner.dropFirst().map { "  " + $0 }
      }
    case .object(let members) where !members.isEmpty:
      return members.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
        let inner = lines(value)
        let name = scalar(key) + ":"
        switch value {
        case .array(let elements) where !elements.isEmpty: return [name] + inner.map { "  " + $0 }
        case .object(let members) where !members.isEmpty: return [name] + inner.map { "  " + $0 }
        default: return [name + " " + inner[0]]
        }
      }
    case .array: return ["[]"]
    case .object: return ["{}"]
    case .null: return ["null"]
    case .bool(let value): return [value ? "true" : "false"]
    case .integer(let value): return [String(value)]
    case .number(let value): return [number(value)]
    case .string(let text): return [scalar(text)]
    }
  }

  /// A number as readers of YAML 1.1 expect it: with an exponent it must also have a point.
  private static func number(_ value: Double) -> String {
    let text = JSONValue.number(value).text
    guard let exponent = text.firstIndex(of: "e"), !text.contains(".") else { return text }
    return text[..<exponent] + ".0" + text[exponent...]
  }

  /// Words with a special meaning in YAML 1.1 or 1.2.
  private static let reserved: Set<String> = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]

  /// Signs without a special meaning within a text that begins with a letter.
  private static let harmless = Set(" -_./:;()+@=~$^#?!%&*'<>".unicodeScalars)

  /// A text, without quotes if YAML cannot read it as another value.
  private static func scalar(_ text: String) -> String {
    isPlain(text) ? text : "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, !reserved.contains(text.lowercased()),
      let last = text.unicodeScalars.last, last != " ", last != ":"
    else { return false }
    // The characters next to a space or a colon may turn the rest into a comment or a value.
    guard !text.contains(" #"), !text.contains(": ") else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      harmless.contains(scalar)
        || (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) && !String.isHidden(scalar)
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\" + String(scalar)
    case "\n": return "\\n"
    case "\t": return "\\t"
    case "\r": return "\\r"
    case _ where String.isHidden(scalar):
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let isLong = scalar.value > 0xFFFF
      return "\\\(isLong ? "U" : "u")" + String(repeating: "0", count: (isLong ? 8 : 4) - digits.count) + digits
    default: return String(scalar)
    }
  }
}
