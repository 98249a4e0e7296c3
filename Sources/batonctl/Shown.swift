internal import StrictJSON

/// Text from outside, as a terminal may show it: nothing in it moves the cursor, turns the direction of writing round, begins a line or
/// hides.
extension String {
  /// The text with everything written as an escape that cannot be seen or does more than be seen.
  var shown: String { shown(keepingLines: false) }

  /// - Parameter keepingLines: whether line feeds stay, because they are our own.
  func shown(keepingLines: Bool) -> String {
    guard unicodeScalars.contains(where: Self.isHidden) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n" where keepingLines: text.unicodeScalars.append(scalar)
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where Self.isHidden(scalar): text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// JSON that means the same and is shown as it is.
  var shownJSON: String {
    guard unicodeScalars.contains(where: Self.isHidden) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      // Between strings, JSON as it is written here has no such characters, and within them they may be escaped.
      if Self.isHidden(scalar) {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Whether it cannot be seen, or does more than be seen.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Most text is this.
    case 0x20..<0x7F: return false
    // Needed within words of some languages, and to make one picture of several.
    case 0x200C, 0x200D, 0xFE0E, 0xFE0F: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}

extension JSONValue {
  /// The value with all texts in it as a terminal may show them.
  var shown: JSONValue {
    switch self {
    case .null, .bool, .integer, .number: self
    case .string(let text): .string(text.shown)
    case .array(let elements): .array(elements.map(\.shown))
    case .object(let members):
      .object(Dictionary(members.map { ($0.key.shown, $0.value.shown) }) { first, _ in first })
    }
  }
}
