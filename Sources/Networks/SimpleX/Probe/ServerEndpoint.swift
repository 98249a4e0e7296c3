internal import Channels
internal import RelayNetwork

/// The place at which a server is asked, and the protocols that are offered.
struct ServerEndpoint: Hashable, Sendable {
  let host: String
  let port: Int
  /// The protocol that the TLS handshake offers (ALPN).
  let applicationProtocol: String

  /// - Returns: `nil` if all hosts of the address can be reached only through Tor.
  init?(_ address: ServerAddress) {
    let known = address.hosts.map { (name: $0, host: try? SimpleXHost($0)) }
    guard let chosen = known.first(where: { $0.host?.kind != .onion }) else { return nil }
    host = chosen.host?.name ?? chosen.name
    if address.port == nil, known.first?.host?.isPreset == true {
      // These servers share their port 443 with a web site.
      port = 443
      applicationProtocol = "http/1.1"
    } else {
      port = address.port ?? SimpleXServerAddress.defaultPort(of: address.transport)
      applicationProtocol = "\(address.transport.rawValue)/1"
    }
  }
}
