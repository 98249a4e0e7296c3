internal import NIOCore

/// Reads addresses of hosts that are no names. Spellings that programs read differently (`127.1`, `010.0.0.1`, a zone such as `%eth0`) are
/// none.
public enum IPAddress {
  /// An IPv4 address as it is written; nil when `text` is none.
  public static func version4(_ text: String) -> String? { normal(text, .inet) }

  /// The one spelling of an IPv6 address that others have too (RFC 5952); nil when `text` is none. Without brackets.
  public static func version6(_ text: String) -> String? { normal(text, .inet6) }

  private static func normal(_ text: String, _ family: NIOBSDSocket.ProtocolFamily) -> String? {
    guard !text.contains("%"), let address = try? SocketAddress(ipAddress: text, port: 0), address.protocol == family else {
      return nil
    }
    return address.ipAddress
  }
}
