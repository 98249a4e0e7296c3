internal import Dialing
public import RelayNetwork

/// The address of a Nostr relay in normal form: lower-case scheme and host, no default port, no trailing `/` on an empty path,
/// no fragment.
public struct RelayURL: Hashable, Sendable {
  public let isSecure: Bool
  /// Host name, IPv4 address, or IPv6 address without brackets.
  public let host: String
  public let port: Int
  /// Path and query, from `/`, or empty for the root.
  public let path: String

  public static let bytesMax = 255

  /// Reads `text`.
  /// - Throws: `InvalidAddress` with the fault and its place.
  public init(_ text: String) throws(InvalidAddress) {
    func invalid(_ reason: String, at place: String.Index? = nil) -> InvalidAddress {
      InvalidAddress(
        address: String(PasswordEcho.hiding(text).prefix(Self.bytesMax)), reason: reason,
        position: place.map { text.distance(from: text.startIndex, to: $0) })
    }
    guard text.utf8.count <= Self.bytesMax else { throw invalid("it is longer than \(Self.bytesMax) bytes") }
    if let wrong = text.firstIndex(where: { !$0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) {
      throw invalid(
        "it holds a space or a character outside ASCII. Write international host names in their xn-- form", at: wrong)
    }
    guard let separator = text.firstRange(of: "://") else {
      throw invalid("it must start with ws:// or wss://", at: text.startIndex)
    }
    switch text[..<separator.lowerBound].lowercased() {
    case "ws": isSecure = false
    case "wss": isSecure = true
    case let scheme where scheme.allSatisfy { $0.isLetter || $0.isNumber }:
      throw invalid("the scheme is '\(scheme)', it must be ws or wss", at: text.startIndex)
    // It is unknown what that is, but it may hold a password.
    default: throw invalid("it must start with ws:// or wss://", at: text.startIndex)
    }
    var rest = text[separator.upperBound...]
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    let pathStart = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let authority = rest[..<pathStart]
    let tail = String(rest[pathStart...])
    path = tail == "/" ? "" : tail.hasPrefix("?") ? "/" + tail : tail
    guard !authority.contains("@") else { throw invalid("it may not hold a user name or password", at: authority.startIndex) }

    let portText: Substring?
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw invalid("the bracket around the IPv6 address is not closed", at: authority.startIndex)
      }
      let start = authority.index(after: authority.startIndex)
      guard let address = IPAddress.version6(String(authority[start..<end])) else {
        throw invalid("the host is not an IPv6 address", at: start)
      }
      host = address
      let after = authority[authority.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else {
        throw invalid("only a port may follow the IPv6 address", at: after.startIndex)
      }
      portText = after.isEmpty ? nil : after.dropFirst()
    } else {
      let colon = authority.firstIndex(of: ":")
      let name = authority[..<(colon ?? authority.endIndex)].lowercased()
      // A dot at the end changes only the spelling.
      host = name.hasSuffix(".") ? String(name.dropLast()) : name
      portText = colon.map { authority[authority.index(after: $0)...] }
      guard Self.isHostName(host) else {
        throw invalid(host.isEmpty ? "the host is missing" : "the host '\(host)' is not a host name", at: authority.startIndex)
      }
    }
    if let portText {
      guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText), (1...65535).contains(number)
      else { throw invalid("the port must be a number from 1 to 65535", at: portText.startIndex) }
      port = number
    } else {
      port = isSecure ? 443 : 80
    }
  }

  private static func isHostName(_ host: String) -> Bool {
    let name = Substring(host)
    guard !name.isEmpty, name.utf8.count <= 253 else { return false }
    return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

  /// Host with the port when it is not the scheme's own. It is also the value of the HTTP `Host` field.
  public var authority: String { port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)" }

  /// The normal form.
  public var text: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

  /// The path for the HTTP request line.
  public var requestTarget: String { path.isEmpty ? "/" : path }
}
