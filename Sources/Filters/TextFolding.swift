internal import Foundation
internal import Synchronization

/// Brings a text into the form in which searches compare: in compatibility decomposition (NFKD), with full case folding, without accents
/// and without invisible characters. It goes scalar by scalar, because normalizing whole texts takes time that grows with the square of the
/// marks in a row.
package struct TextFolding {
  /// Whether a mark is part of the letter before it.
  private var keepsMarks = false

  package init() {}

  /// Adds the form of a scalar, which may be empty.
  package mutating func add(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
    guard !scalar.isASCII else {
      keepsMarks = false
      text.append("A"..."Z" ~= scalar ? Unicode.Scalar(UInt8(scalar.value) + 0x20) : scalar)
      return
    }
    for part in scalar.folded.unicodeScalars {
      if part.isMark {
        if keepsMarks { text.append(part) }
        continue
      }
      // Latin, Greek, Cyrillic, Hebrew and Arabic are also written without marks. Marks of scripts that come later are vowels and tones.
      keepsMarks = part.value >= 0x780 && part.properties.isAlphabetic
      text.append(part)
    }
  }
}

extension String {
  /// The text in the form in which searches compare.
  package var folded: String {
    guard !utf8.allSatisfy({ $0 < 0x80 }) else { return lowercased() }
    var (folding, text) = (TextFolding(), UnicodeScalarView())
    for scalar in unicodeScalars { folding.add(scalar, to: &text) }
    return String(text)
  }
}

extension Unicode.Scalar {
  private static let known = Mutex<[Unicode.Scalar: String]>([:])

  fileprivate var folded: String {
    guard !properties.isDefaultIgnorableCodePoint else { return "" }
    // Most other characters of the scripts with the most characters do not change.
    guard value < 0x3100 || (0xAC00...0xD7A3).contains(value) || properties.changesWhenNFKCCaseFolded else {
      return String(self)
    }
    return Self.known.withLock { known in
      if let folded = known[self] { return folded }
      let folded = String(self).decomposedStringWithCompatibilityMapping.unicodeScalars.map(\.caseFolded).joined()
      known[self] = folded
      return folded
    }
  }

  /// Capital letters come from small ones here, because ẞ has no other way to ss.
  private var caseFolded: String { isMark ? String(self) : String(self).lowercased().uppercased().lowercased() }

  /// Whether it is written above, below, around or next to the letter before it.
  package var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
