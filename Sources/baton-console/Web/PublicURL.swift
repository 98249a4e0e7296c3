/// The address under which people reach the console through a reverse proxy, such as `https://baton.example/console`.
struct PublicURL: Hashable, Sendable {
  let scheme: String
  let authority: HostRule.Authority
  /// Begins with a slash and does not end with one. Empty at the top of the host.
  let path: String

  /// An address of this machine that no one else can guess. Browsers send cookies to all ports of a name, so other programs on this machine
  /// must not guess the name.
  static func onLoopback(_ port: UInt16) -> String {
    "http://b\(Hex.random(bytes: 8)).baton.localhost:\(port)"
  }

  /// The origin that browsers send for its pages.
  var origin: String { "\(scheme)://\(authority.host)\(authority.port.map { ":\($0)" } ?? "")" }

  /// Without a slash at its end.
  var text: String { origin + path }

  /// - Returns: `nil` if the text is not such an address.
  init?(_ text: String) {
    guard let found = ["https", "http"].first(where: { text.lowercased().hasPrefix("\($0)://") }) else { return nil }
    scheme = found
    let rest = text.dropFirst(found.count + 3)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let authority = HostRule.Authority(String(rest[..<slash])) else { return nil }
    // On other hosts, browsers reject the cookie unless it was sent encrypted.
    guard scheme == "https" || authority.isLoopback else { return nil }
    self.authority = authority
    var path = String(rest[slash...])
    while path.hasSuffix("/") { path.removeLast() }
    guard !path.contains("?"), !path.contains("#") else { return nil }
    self.path = path
  }
}
