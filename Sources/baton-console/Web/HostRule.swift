/// The names under which the console may be addressed. A foreign page whose name suddenly resolves to this machine (DNS rebinding) has
/// another one.
struct HostRule: Sendable {
  /// The address under which a reverse proxy offers the console, if any.
  let publicURL: PublicURL?

  /// The content of a request's field `Host`.
  struct Authority: Hashable, Sendable {
    /// In lower case, an IPv6 address with its brackets.
    let host: String
    let port: Int?

    /// - Returns: `nil` if the text is not a host with or without a port.
    init?(_ text: String) {
      let text = text.lowercased()
      guard text.utf8.count <= 300, text.utf8.allSatisfy({ Self.allowed.contains($0) }) else { return nil }
      let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
      let host = text[..<(end ?? text.endIndex)]
      let rest = text[(end ?? text.endIndex)...]
      guard !host.isEmpty, text.hasPrefix("[") == host.hasSuffix("]") else { return nil }
      self.host = host.hasSuffix(".") ? String(host.dropLast()) : String(host)
      if rest.isEmpty {
        port = nil
      } else {
        guard rest.hasPrefix(":"), rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
          let number = Int(rest.dropFirst()), (1...65_535).contains(number)
        else { return nil }
        port = number
      }
    }

    /// Whether the name always means the browser's own machine (RFC 6761 for localhost).
    var isLoopback: Bool {
      host == "localhost" || host.hasSuffix(".localhost") || host == "127.0.0.1" || host == "[::1]"
    }

    private static let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]".utf8)
  }

  /// Whether a request to this host is answered. The port is not compared, so that it can be forwarded with ssh.
  func allows(_ authority: Authority) -> Bool { authority.isLoopback || authority.host == publicURL?.authority.host }

  /// The reason why a change is refused.
  enum ForeignRequest: Hashable {
    /// Another page made the browser send it.
    case otherSite(String)
    /// Both fields that name the origin are missing, as in requests of programs.
    case unknownOrigin
  }

  /// - Parameters:
  ///   - fetchSite: the field Sec-Fetch-Site, which browsers send to loopback and over HTTPS.
  ///   - origin: the field Origin.
  ///   - authority: the host that was addressed.
  /// - Returns: `nil` if the request comes from a page of the console itself.
  func objection(fetchSite: String?, origin: String?, authority: Authority) -> ForeignRequest? {
    switch fetchSite {
    // A page of another port on the same host is "same-site", and does not belong to the console.
    case "same-origin", "none": return nil
    case .some: return .otherSite(origin ?? "another site")
    case nil: break
    }
    guard let origin else { return .unknownOrigin }
    // A proxy may remove the port from the host that it passes on.
    let own = authority.host == publicURL?.authority.host ? publicURL?.origin : nil
    let expected = own ?? "http://\(authority.host)\(authority.port.map { ":\($0)" } ?? "")"
    return expected == origin.lowercased() ? nil : .otherSite(origin)
  }
}
