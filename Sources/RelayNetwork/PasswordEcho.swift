/// Shows a text that was entered as an address, without the password that may be in it. The text is malformed, or names nothing, so where
/// the password is can only be guessed, and the guess errs on the side of hiding.
public enum PasswordEcho {
  private static let schemeMax = 16

  /// `text` with a `*` in place of each character that may belong to a password: everything before the last `@`, except the scheme, and
  /// anything in the place of a port.
  public static func hiding(_ text: String) -> String {
    var characters = Array(text)
    let start = schemeEnd(characters) ?? 0
    var rest = start
    if let at = characters.lastIndex(of: "@"), at >= start {
      for index in start..<at { characters[index] = "*" }
      rest = at + 1
    }
    let end = rest > 0 ? characters[rest...].firstIndex { "/?#".contains($0) } ?? characters.count : characters.count
    let host = characters[rest..<end]
    // Colons within brackets belong to an IPv6 address.
    let afterHost = host.first == "[" ? host.firstIndex(of: "]").map { $0 + 1 } ?? end : rest
    let colon = rest > 0 ? host[afterHost...].firstIndex(of: ":") : host.lastIndex(of: ":")
    guard let colon else { return String(characters) }
    let port = host[(colon + 1)...]
    // A scheme with a missing slash is not a reason to hide the host.
    guard !port.allSatisfy({ ("0"..."9").contains($0) }), rest > 0 || port.first != "/" else { return String(characters) }
    for index in port.indices { characters[index] = "*" }
    return String(characters)
  }

  /// Returns the place where the part after `scheme://` begins, or `nil` if the text does not begin with a scheme.
  private static func schemeEnd(_ characters: [Character]) -> Int? {
    let scheme = characters.prefix(schemeMax).prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    guard scheme.first?.isLetter == true, characters[scheme.endIndex...].starts(with: "://") else { return nil }
    return scheme.endIndex + 3
  }
}
