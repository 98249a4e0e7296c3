internal import Channels
internal import RelayNetwork

/// Makes text of the core suitable for people and logs.
enum CoreText {
  /// `text` in one line, cut to the length that a `Trouble` allows, without passwords of servers that may be in it.
  static func bounded(_ text: String) -> String { Trouble(.protocol, withoutPasswords(text)).detail }

  /// The address of a server without its password, even if the address is malformed.
  static func address(_ text: String) -> String {
    if let address = try? SimpleXServerAddress.parse(text) { return address.text }
    return AddressEcho.echo(text)
  }

  /// Hides passwords. If a word contains `://` and later an `@`, the text between the next colon and the last `@` counts as a password,
  /// which can contain neither space nor `@` nor `:`. Hiding too much does no harm.
  private static func withoutPasswords(_ text: String) -> String {
    guard text.contains("@") else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard let scheme = word.firstRange(of: "://"), let at = word.lastIndex(of: "@"), scheme.upperBound < at,
        let colon = word[scheme.upperBound..<at].firstIndex(of: ":")
      else { return String(word) }
      return word[...colon] + "***" + word[at...]
    }.joined(separator: " ")
  }
}
