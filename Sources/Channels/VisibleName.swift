/// The rules that hold for every name: people can see all of it, and so distinguish it from other names.
enum VisibleName {
  /// The name without white space and byte order marks around it, and with single spaces inside.
  static func normalized(_ text: String) -> String {
    // Control characters are refused, not replaced.
    let words = HumanText.line(text).unicodeScalars.split { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    return words.map { String($0) }.joined(separator: " ")
  }

  /// The error in a name in normal form, as a sentence, or `nil` if there is none.
  static func fault(in name: String) -> String? {
    let scalars = Array(name.unicodeScalars)
    guard let first = scalars.first else { return "the name is empty" }
    if let stray = scalars.indices.first(where: { isStray(scalars, at: $0) }) {
      return "the name contains the character \(scalars[stray].notation), which is invisible there"
    }
    return isMark(first) ? "the name must start with a character that is visible by itself, not with \(first.notation)" : nil
  }

  /// The visible parts of a name, which may be in one.
  static func seen(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
    let all = Array(scalars)
    var seen: [Unicode.Scalar] = []
    for (index, scalar) in all.enumerated() {
      if seen.isEmpty, isMark(scalar) { continue }
      let place = seen.count
      if !isStray(seen + all[index..<min(index + flagLength, all.count)], at: place) {
        seen.append(scalar)
      } else if !scalar.properties.isDefaultIgnorableCodePoint {
        seen.append(" ")
      }
    }
    return seen
  }

  /// Whether a character is invisible, and does nothing for the letters or pictures next to it.
  private static func isStray(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    let scalar = scalars[index]
    let previous = index > 0 ? scalars[index - 1] : nil
    let next = index + 1 < scalars.count ? scalars[index + 1] : nil
    switch scalar.value {
    case 0x200C, 0x200D: return !joins(scalar, previous, next)
    case 0xFE00...0xFE0F, 0xE0100...0xE01EF: return !(previous.map { hasVariants($0, next) } ?? false)
    // Mongolian letters have their own variants.
    case 0x180B...0x180D, 0x180F: return !(previous.map { (0x1820...0x18AA).contains($0.value) } ?? false)
    case 0xE0020...0xE007F: return !isInFlag(scalars, at: index)
    // Blank signs that Unicode counts as symbols and letters.
    case 0x2800, 0x1_D159, 0x1_3441, 0x1_3442: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: return true
    default: return scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  /// The flags of England, Scotland and Wales, which Unicode recommends: a black flag with tags behind it.
  private static let taggedFlags: [[Unicode.Scalar]] = ["gbeng", "gbsct", "gbwls"].map { region in
    ["\u{1F3F4}"] + region.unicodeScalars.compactMap { Unicode.Scalar(0xE0000 + $0.value) } + ["\u{E007F}"]
  }
  private static let flagLength = 7

  private static func isInFlag(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    guard let start = scalars[..<index].lastIndex(of: "\u{1F3F4}"), index - start < flagLength else { return false }
    return taggedFlags.contains { scalars[start...].starts(with: $0) }
  }

  /// Whether a joiner changes how its neighbours look (RFC 5892, appendix A, and sequences of emoji).
  private static func joins(_ joiner: Unicode.Scalar, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
    guard let previous else { return false }
    if previous.properties.canonicalCombiningClass == .virama { return true }
    guard let next else { return false }
    if joiner == "\u{200D}", isPicture(next), isPicture(previous) || previous == "\u{FE0F}" { return true }
    return isJoinable(previous) && isJoinable(next)
  }

  /// Whether the letter, or the mark on one, belongs to a script whose letters are joined.
  private static func isJoinable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0620...0x08FF, 0x0900...0x0DFF, 0x1000...0x109F, 0x1780...0x17DD, 0x1820...0x18AA: true
    case 0xFB50...0xFDFF, 0xFE70...0xFEFC: true
    default: false
    }
  }

  /// Whether a selector may choose between ways to draw the character.
  private static func hasVariants(_ scalar: Unicode.Scalar, _ next: Unicode.Scalar?) -> Bool {
    // Keys such as 1️⃣.
    if scalar.value < 0x80 { return scalar.properties.isEmoji && next == "\u{20E3}" }
    return scalar.properties.isEmoji || scalar.properties.isIdeographic
  }

  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= 0x80 && scalar.properties.isEmoji }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
