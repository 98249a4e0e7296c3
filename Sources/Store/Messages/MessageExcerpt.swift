internal import Storage

/// The part of a text around the words that were searched. In SQLite's own function, the time grows with the square of the words in the
/// text.
struct MessageExcerpt {
  /// How many characters an excerpt has before the first of the words, and in all. Words may be as long as texts.
  static let (leadMax, max) = (100, 400)
  /// How many characters of a text are looked at, and how many hits are marked. The author of a text controls both.
  static let (lookedMax, hitsMax) = (8_000, 32)
  /// How many tokens of a phrase are compared.
  private static let comparedMax = 32

  /// The sequences that are looked for, by their first token.
  private var phrases: [String: [(rest: ArraySlice<String>, isPrefix: Bool)]] = [:]
  /// The possible beginnings of a token, and their lengths in bytes.
  private var (beginnings, lengths): (Set<String>, Set<Int>) = ([], [])

  init(_ words: MessageWords) {
    for word in words.all {
      let (tokens, isPrefix) = (word.tokens, word.isPrefix)
      guard let first = tokens.first else { continue }
      if tokens.count == 1, isPrefix {
        beginnings.insert(first)
        lengths.insert(first.utf8.count)
      } else {
        let isWhole = tokens.count <= Self.comparedMax
        phrases[first, default: []].append((tokens.prefix(Self.comparedMax).dropFirst(), isPrefix && isWhole))
      }
    }
  }

  func pieces(_ text: String) -> [MessageHit.Piece] {
    let scalars = Array(text.unicodeScalars.prefix(Self.lookedMax))
    let hits = hits(in: scalars)
    let begin = hits.first.map { Swift.max(0, $0.lowerBound - Self.leadMax) } ?? 0
    let end = min(scalars.count, begin + Self.max)
    var (pieces, place): ([MessageHit.Piece], Int) = ([], begin)
    func add(upTo next: Int, isHit: Bool) {
      guard place < min(next, end) else { return }
      var shown = String.UnicodeScalarView()
      if place == begin, begin > 0 { shown.append("…") }
      shown.append(contentsOf: scalars[place..<min(next, end)])
      place = min(next, end)
      if place == end, end < scalars.count || scalars.count == Self.lookedMax { shown.append("…") }
      pieces.append(MessageHit.Piece(text: String(shown), isHit: isHit))
    }
    for hit in hits {
      add(upTo: hit.lowerBound, isHit: false)
      add(upTo: hit.upperBound, isHit: true)
    }
    add(upTo: scalars.count, isHit: false)
    return pieces
  }

  /// The first hit, and later hits that fit into an excerpt with it.
  private func hits(in scalars: [Unicode.Scalar]) -> [Range<Int>] {
    var (hits, ahead): ([Range<Int>], [MessageTokens.Token]) = ([], [])
    var tokens = MessageTokens(scalars)
    /// The token at a place behind the current one.
    func token(_ place: Int) -> MessageTokens.Token? {
      while ahead.count <= place {
        guard let next = tokens.next() else { return nil }
        ahead.append(next)
      }
      return ahead[place]
    }
    while hits.count < Self.hitsMax, let present = token(0) {
      if let first = hits.first, present.range.lowerBound - first.lowerBound > Self.max { break }
      let count = count(from: present, token)
      if count > 0, let last = token(count - 1) { hits.append(present.range.lowerBound..<last.range.upperBound) }
      ahead.removeFirst(Swift.max(1, count))
    }
    return hits
  }

  /// How many tokens are the longest hit that begins here.
  private func count(from first: MessageTokens.Token, _ token: (Int) -> MessageTokens.Token?) -> Int {
    let isBeginning = lengths.contains { beginnings.contains(String(decoding: first.text.utf8.prefix($0), as: UTF8.self)) }
    var most = isBeginning ? 1 : 0
    for (rest, isPrefix) in phrases[first.text] ?? [] where rest.count + 1 > most {
      let isHere = rest.enumerated().allSatisfy { place, wanted in
        guard let found = token(place + 1)?.text else { return false }
        return isPrefix && place == rest.count - 1 ? found.hasPrefix(wanted) : found == wanted
      }
      if isHere { most = rest.count + 1 }
    }
    return most
  }
}
