/// A status on a page: its word, with a shape and a tone. The shape has the meaning of the tone for people who cannot see colours.
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
