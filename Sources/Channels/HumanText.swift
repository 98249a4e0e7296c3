/// Text as people type it, paste it and save it, in one form: other systems end lines with two characters and begin files with a byte order
/// mark, and copied text brings along what stood around it.
public enum HumanText {
  /// The text without a byte order mark at its start, and with line feeds alone at the ends of its lines.
  public static func text(_ given: String) -> String {
    let scalars = given.unicodeScalars
    let rest = scalars.first == "\u{FEFF}" ? scalars.dropFirst() : scalars[...]
    guard rest.contains("\r") else { return String(rest) }
    var text = String.UnicodeScalarView()
    for (index, scalar) in zip(rest.indices, rest) {
      let next = rest.index(after: index)
      // A line that a shell read from a file has lost its line feed.
      if scalar == "\r", next == rest.endIndex || rest[next] == "\n" { continue }
      text.append(scalar)
    }
    return String(text)
  }

  /// The text on one line, without white space and byte order marks around it.
  public static func line(_ given: String) -> String {
    func isAround(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || scalar == "\u{FEFF}" }
    var rest = given.unicodeScalars[...]
    while let first = rest.first, isAround(first) { rest.removeFirst() }
    while let last = rest.last, isAround(last) { rest.removeLast() }
    return String(rest)
  }

  /// A link, without brackets and quotation marks around it as well.
  public static func link(_ given: String) -> String {
    let link = line(given)
    guard link.count > 2, let first = link.first, let last = link.last, Self.around[first] == last else { return link }
    return line(String(link.dropFirst().dropLast()))
  }

  private static let around: [Character: Character] = [
    "<": ">", "(": ")", "[": "]", "\"": "\"", "'": "'", "`": "`", "“": "”", "„": "“", "«": "»",
  ]
}
