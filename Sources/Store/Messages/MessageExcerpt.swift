internal import Storage

/// The part of a text around the words that were searched.
enum MessageExcerpt {
  /// The bytes around a word.
  static let (begin, end): (UInt8, UInt8) = (0xFF, 0xFE)

  /// How many characters an excerpt has before the first of the words, and in all. Words may be as long as texts.
  static let (leadMax, max) = (100, 400)

  /// - Parameter marked: UTF-8 text, with the words between `begin` and `end`.
  static func pieces(_ marked: [UInt8]) -> [MessageHit.Piece] {
    var found: [MessageHit.Piece] = []
    var (isHit, start, left) = (false, marked.startIndex, max)
    func add(upTo place: Int) {
      var scalars = Array(String(decoding: marked[start..<place], as: UTF8.self).unicodeScalars)
      guard !scalars.isEmpty, left > 0 else { return }
      if found.isEmpty, !isHit, scalars.count > leadMax, place < marked.endIndex { scalars = ["…"] + scalars.suffix(leadMax) }
      if scalars.count > left { scalars = scalars.prefix(left) + ["…"] }
      left -= scalars.count
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      found.append(MessageHit.Piece(text: String(text), isHit: isHit))
    }
    for (place, byte) in marked.enumerated() where byte == begin || byte == end {
      add(upTo: place)
      (isHit, start) = (byte == begin, place + 1)
    }
    add(upTo: marked.endIndex)
    return found
  }
}
