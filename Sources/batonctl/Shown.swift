internal import StrictJSON

/// Text from outside in a form that is safe for a terminal: nothing in it moves the cursor, changes the direction of writing, begins a
/// line or is hidden.
extension String {
  /// The text with all characters escaped that are invisible or have an effect.
  var shown: String { shown(keepingLines: false) }

  /// - Parameter keepingLines: whether to keep line feeds, because batonctl wrote them.
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

  /// JSON with the same meaning that is safe to show.
  var shownJSON: String {
    guard unicodeScalars.contains(where: Self.isHidden) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      // The JSON written here has no such characters outside strings, and inside strings they may be escaped.
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

  /// Whether the character is invisible or has an effect.
  static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Most text consists of these.
    case 0x20..<0x7F: return false
    // Some languages need these within words, and they join several pictures into one.
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
  /// The value with all its texts made safe for a terminal.
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
