// The room that text needs on a terminal. Terminals differ if several characters form one picture. The widths here are the largest that any
// terminal uses, so that lines never wrap.
extension String {
  /// The width of the text in columns. It must not contain control characters.
  var displayWidth: Int {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return utf8.count }
    var width = 0
    var last = 0
    for scalar in unicodeScalars {
      if scalar.value == 0xFE0F {
        // This character selects the picture of a character that is also a letter or a sign.
        if last == 1 { width += 1 }
        last = 2
        continue
      }
      let own = scalar.displayWidth
      width += own
      if own > 0 { last = own }
    }
    return width
  }

  /// The text, or its beginning followed by a mark if it is cut.
  /// - Parameter width: the largest width, in columns.
  func cut(to width: Int) -> String {
    guard displayWidth > width else { return self }
    guard width > 0 else { return "" }
    var beginning = ""
    var used = 0
    for character in self {
      let next = String(character).displayWidth
      guard used + next < width else { break }
      beginning.append(character)
      used += next
    }
    return beginning + Marks.current.ellipsis
  }
}

extension Unicode.Scalar {
  /// East Asian scripts and signs of the same width (Unicode Standard Annex 11: W and F). Swift itself detects pictures.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,
    0x1D300...0x1D376, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
  /// Vowels and final consonants of Hangul, which are drawn into the syllable before them.
  private static let joined: [ClosedRange<UInt32>] = [0x1160...0x11FF, 0xD7B0...0xD7FB]
  /// Letters of which two form a flag.
  private static let flags: ClosedRange<UInt32> = 0x1F1E6...0x1F1FF

  fileprivate var displayWidth: Int {
    if value < 0x80 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if Self.joined.contains(where: { $0.contains(value) }) { return 0 }
    if Self.flags.contains(value) { return 1 }
    return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
  }
}
