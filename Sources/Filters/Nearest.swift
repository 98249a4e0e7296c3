/// Finds the existing word that was most likely meant by an unknown one.
public enum Nearest {
  /// Longer words are not compared: they come from clients, and comparing takes time that grows with their square.
  private static let lengthMax = 64

  /// The one of `words` that differs least from `word`, comparing the part after the last dot too, or `nil` if all differ too much.
  public static func to(_ word: String, among words: some Sequence<String>) -> String? {
    guard (1...lengthMax).contains(word.utf8.count) else { return nil }
    let wanted = Array(word.lowercased())
    var best: (word: String, distance: Int)?
    for candidate in words {
      let whole = Array(candidate.lowercased())
      let last = whole.lastIndex(of: ".").map { Array(whole[($0 + 1)...]) } ?? whole
      for form in whole == last ? [whole] : [whole, last] {
        let distance = distance(wanted, form)
        // Up to a third of the letters may be wrong.
        guard distance <= max(1, max(wanted.count, form.count) / 3), distance < best?.distance ?? .max else { continue }
        best = (candidate, distance)
      }
    }
    return best?.word
  }

  /// Returns the number of letters that must be inserted, deleted, replaced or swapped with their neighbour to turn one word into the
  /// other.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var (before, previous) = ([Int](), Array(0...b.count))
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
        row.append(cost)
      }
      (before, previous) = (previous, row)
    }
    return previous[b.count]
  }
}
