internal import StrictJSON

/// Reads a command line from its beginning.
struct CommandScanner {
  var rest: Substring

  mutating func dropTrailingSpace() {
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
  }

  mutating func take(_ prefix: String) -> Bool {
    guard rest.hasPrefix(prefix) else { return false }
    rest = rest.dropFirst(prefix.count)
    return true
  }

  mutating func number() -> Int64? {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    rest = rest[digits.endIndex...]
    return Int64(digits)
  }

  mutating func numbers() -> [Int64]? {
    guard let first = number() else { return nil }
    var numbers = [first]
    while take(",") {
      guard let next = number() else { return nil }
      numbers.append(next)
    }
    return numbers
  }

  mutating func word() -> String {
    let word = rest.prefix { $0 != " " }
    rest = rest[word.endIndex...]
    return String(word)
  }

  /// The rest of the line.
  mutating func all() -> String {
    defer { rest = "" }
    return String(rest)
  }

  mutating func json() -> JSONValue? {
    defer { rest = "" }
    return try? JSONParser.parse(String(rest))
  }
}
