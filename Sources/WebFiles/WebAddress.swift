internal import Dialing
internal import Foundation

/// An address on the web: https anywhere, or http on this machine only. It has no user name, password or fragment.
public struct WebAddress: Hashable, Sendable {
  /// The reason why a text is not such an address, as the end of a sentence. It repeats nothing of the text, which may contain a password.
  public struct Flaw: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  public let isSecure: Bool
  /// Host name in lower case, IPv4 address, or IPv6 address without brackets.
  public let host: String
  public let port: Int
  /// Path and query. It begins with `/`.
  public let target: String

  /// Upper bound of an address, in bytes.
  public static let bytesMax = 2_000

  /// Reads an address.
  /// - Throws: `Flaw` with the reason.
  public init(_ text: String) throws(Flaw) {
    guard text.utf8.count <= Self.bytesMax else { throw Flaw(description: "must have at most \(Self.bytesMax) bytes") }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw Flaw(
        description: "must have no spaces and only characters of ASCII. Write international host names in their xn-- form")
    }
    guard let parts = URLComponents(string: text, encodingInvalidCharacters: false), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme)
    else { throw Flaw(description: "must be an address that begins with https://") }
    guard parts.user == nil, parts.password == nil else { throw Flaw(description: "must hold no user name and no password") }
    guard parts.percentEncodedFragment == nil else { throw Flaw(description: "must have no part behind a '#'") }
    guard let host = Self.host(parts.encodedHost ?? "") else { throw Flaw(description: "must name a host") }
    isSecure = scheme == "https"
    self.host = host
    port = parts.port ?? (isSecure ? 443 : 80)
    target =
      (parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath) + (parts.percentEncodedQuery.map { "?" + $0 } ?? "")
    guard (1...65535).contains(port) else { throw Flaw(description: "must have a port from 1 to 65535") }
    guard isSecure || isLoopback else {
      throw Flaw(description: "must begin with https:// (http:// is for servers on this machine only)")
    }
  }

  /// Reads the address of a server, which has neither a path nor a query.
  /// - Throws: `Flaw` with the reason.
  public init(server text: String) throws(Flaw) {
    try self.init(text)
    guard target == "/" else { throw Flaw(description: "must be the address of a server, without a path or a query") }
  }

  private init(_ server: WebAddress, _ target: String) {
    (isSecure, host, port) = (server.isSecure, server.host, server.port)
    self.target = target
  }

  /// Another address at the same server.
  /// - Parameter target: path and query, from `/`. Both are the caller's own words.
  func with(target: String) -> WebAddress { WebAddress(self, target) }

  /// Whether the host is this machine, without asking a name server.
  public var isLoopback: Bool {
    host == "localhost" || host == "::1" || IPAddress.version4(host)?.hasPrefix("127.") == true
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

  /// The host, with the port if it is not the scheme's own.
  var authority: String { port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)" }

  /// The server alone, in normal form: without a `/` at the end.
  public var server: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// The address in normal form.
  public var text: String { server + target }

  private static func host(_ text: String) -> String? {
    if text.hasPrefix("[") { return text.hasSuffix("]") ? IPAddress.version6(String(text.dropFirst().dropLast())) : nil }
    // A dot at the end changes only the spelling.
    let name = (text.hasSuffix(".") ? text.dropLast() : text[...]).lowercased()
    guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) }
    }
    return isName ? name : nil
  }
}
