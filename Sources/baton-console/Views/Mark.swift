/// A status as pages show it: its word, with a shape and a tone. The shape says the same as the tone to those who do not see colours.
enum Mark {
  /// The value for the template `status`.
  static func view(_ word: String) -> View.Part {
    let (shape, tone) = look(word)
    return .view(["word": .text(spoken(word)), "shape": .text(shape), "tone": .text(tone)])
  }

  private static func look(_ word: String) -> (shape: String, tone: String) {
    switch word {
    case "active", "up", "verified", "published", "alive", "passed": ("●", "good")
    case "new", "unknown", "stopped": ("○", "idle")
    case "invited", "accepted", "creating", "deleting", "underWay", "sent", "pending": ("◐", "busy")
    case "inactive", "degraded", "partial", "warning", "silent", "disabled": ("▲", "warn")
    case "failed", "down", "error", "expired": ("✕", "bad")
    case "removed", "deleted", "departed": ("–", "idle")
    case "followed": ("◇", "idle")
    default: ("•", "idle")
    }
  }

  /// Stable words as people read them: `underWay` is "under way".
  static func spoken(_ word: String) -> String {
    var result = ""
    for character in word {
      if character.isUppercase { result += " \(character.lowercased())" } else { result.append(character) }
    }
    return result
  }
}

/// Counts with their nouns.
func counted(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(grouped(number)) \(noun)s" }

/// A number with thin spaces between groups of three digits, from 10 000 on.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  guard digits.count > 4 else { return String(number) }
  var result = number < 0 ? "−" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { result.append("\u{202F}") }
    result.append(digit)
  }
  return result
}
