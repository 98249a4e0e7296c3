/// Internet domains, as operators own them.
public enum Domain {
  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence about the necessary change.
    public let reason: String
  }

  /// Whether `host` is `domain` or lies below it. Only whole labels match: `notsimplex.im` does not lie below `simplex.im`.
  /// - Parameters:
  ///   - host: a host name in lower case. Addresses and onion names lie below no domain.
  ///   - domain: as `validated` returns it.
  public static func contains(_ host: String, in domain: String) -> Bool {
    host == domain || host.utf8.count > domain.utf8.count && host.hasSuffix("." + domain)
  }

  /// The domain in lower case without a dot at its end, or its error.
  public static func validated(_ text: String) throws(Invalid) -> String {
    var domain = text.lowercased()
    if domain.hasSuffix(".") { domain.removeLast() }
    guard !domain.isEmpty else { throw Invalid(reason: "the domain is empty") }
    guard domain.utf8.count <= 253 else { throw Invalid(reason: "the domain is longer than 253 bytes") }
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    for label in labels {
      let isGood =
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
          (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
        }
      guard isGood else {
        throw Invalid(
          reason: "'\(text)' is not a domain: write it as in example.org, international names in their xn-- form")
      }
    }
    if let last = labels.last, last.allSatisfy(\.isNumber) {
      throw Invalid(reason: "'\(text)' is an address, not a domain")
    }
    return domain
  }
}
