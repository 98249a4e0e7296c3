/// The address under which people reach the console through a reverse proxy, such as `https://baton.example/console`.
struct PublicURL: Hashable, Sendable {
  let scheme: String
  let authority: HostRule.Authority
  /// Begins with a slash and does not end with one; empty at the top of the host.
  let path: String

  /// An address of this machine that no one else knows. Browsers send cookies to all ports of a name, so another program on this machine must
  /// not be able to guess the name.
  static func onLoopback(_ port: UInt16) -> String {
    "http://b\(Hex.random(bytes: 8)).baton.localhost:\(port)"
  }

  /// What browsers say of pages there.
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
    // Elsewhere browsers keep no cookie that was sent in the clear.
    guard scheme == "https" || authority.isLoopback else { return nil }
    self.authority = authority
    var path = String(rest[slash...])
    while path.hasSuffix("/") { path.removeLast() }
    guard !path.contains("?"), !path.contains("#") else { return nil }
    self.path = path
  }
}
