internal import Channels

/// The core's own rule for the names of channels (`mkValidName` in 7.0.0.11): it drops characters that it does not accept, and refuses a
/// name that this changes. It does so only after it has created a queue for the channel, and leaves the queue behind, so Baton checks
/// first.
enum CoreName {
  /// The kinds of characters in the rule.
  private enum Kind {
    /// A letter, a digit, or a symbol such as ★, which is allowed everywhere.
    case letter
    /// A currency or mathematical sign, which is allowed everywhere except at the start.
    case sign
    /// A mark that is written over, under or around a letter.
    case mark
    /// A punctuation mark. Two in a row are not allowed.
    case punctuation
    case space
    case other

    init(_ scalar: Unicode.Scalar) {
      if CoreName.prohibited.contains(scalar) {
        self = .other
        return
      }
      self =
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .otherSymbol:
          .letter
        case .currencySymbol, .mathSymbol: .sign
        case .nonspacingMark, .spacingMark, .enclosingMark: .mark
        case .connectorPunctuation, .dashPunctuation, .otherPunctuation: .punctuation
        case .spaceSeparator: scalar == " " ? .space : .other
        default: .other
        }
    }
  }

  private static let prohibited = Set(".,;/\\#@'\"`~".unicodeScalars)

  /// The error in a name in normal form, as a sentence for people, or `nil` if the core accepts it.
  static func fault(in name: String) -> String? {
    var previous: Unicode.Scalar?
    // Whether only spaces have followed the latest punctuation mark.
    var isPunctuated = false
    for scalar in name.unicodeScalars {
      let kind = Kind(scalar)
      switch kind {
      case .letter: break
      case .other: return refusal(of: scalar)
      case .sign, .mark, .punctuation, .space:
        guard let previous else {
          return "on SimpleX a name starts with a letter, a digit or a symbol such as ★, not with \(scalar)"
        }
        if kind == .punctuation, isPunctuated {
          return "on SimpleX a letter, a digit or a symbol must stand between two punctuation marks: one \(scalar) is too many"
        }
        if kind == .mark, isPunctuated || previous == " " {
          return "on SimpleX the mark \(scalar.notation) must follow a letter, a digit or a symbol"
        }
        if kind == .space, previous == " " { return "on SimpleX a name holds no two spaces in a row" }
      }
      if kind != .space { isPunctuated = kind == .punctuation }
      previous = scalar
    }
    return previous == " " ? "on SimpleX a name does not end with a space" : nil
  }

  private static func refusal(of scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x1F3FB...0x1F3FF: return "on SimpleX a name holds no emoji with a skin tone"
    case 0x200D: return "on SimpleX a name holds no emoji that are joined to one"
    default: break
    }
    let shown = scalar.properties.generalCategory == .format ? scalar.notation : "\(scalar) (\(scalar.notation))"
    return "on SimpleX a name holds letters, digits, single punctuation marks and symbols such as ★, € and +, but not \(shown)"
  }
}
