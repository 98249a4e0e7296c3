internal import NIOCore

/// Reads hosts that are IP addresses, not names. Spellings that programs read differently (`127.1`, `010.0.0.1`, a zone such as `%eth0`)
/// are not accepted.
public enum IPAddress {
  /// An IPv4 address as written in `text`, or `nil` if `text` is not one.
  public static func version4(_ text: String) -> String? { normal(text, .inet) }

  /// The canonical spelling of an IPv6 address (RFC 5952), without brackets, or `nil` if `text` is not one.
  public static func version6(_ text: String) -> String? { normal(text, .inet6) }

  private static func normal(_ text: String, _ family: NIOBSDSocket.ProtocolFamily) -> String? {
    guard !text.contains("%"), let address = try? SocketAddress(ipAddress: text, port: 0), address.protocol == family else {
      return nil
    }
    return address.ipAddress
  }
}
