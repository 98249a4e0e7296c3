internal import Dialing

/// The address at which a core listens.
public struct CoreEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// An IP address, without brackets. A name only if other machines are allowed.
  public let host: String
  /// The port, 1 to 65535.
  public let port: Int

  /// The reason why a core there is not used.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    public let description: String
  }

  /// - Parameters:
  ///   - host: `localhost`, an address of this machine's loopback network (127.0.0.0/8, ::1), or any host if
  ///     `allowingOtherMachines`.
  ///   - port: 1 to 65535.
  ///   - allowingOtherMachines: whether other machines are allowed. The port of a core has neither authentication nor encryption, so this
  ///     is only for networks of containers that no one else can reach.
  /// - Throws: `Refusal` with a sentence for people.
  public init(host: String, port: Int, allowingOtherMachines: Bool = false) throws(Refusal) {
    guard (1...65_535).contains(port) else { throw Refusal(description: "the core's port must be 1 to 65535, not \(port)") }
    self.port = port
    // The core binds only to the IPv4 address, so the name is not resolved.
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    if host.lowercased() == "localhost" {
      self.host = "127.0.0.1"
    } else if let address = IPAddress.version4(bare) ?? IPAddress.version6(bare) {
      guard allowingOtherMachines || address.hasPrefix("127.") || address == "::1" else { throw Self.refusal(of: address) }
      self.host = address
    } else {
      guard let name = try? SimpleXHost(bare) else { throw Refusal(description: "the core's host is not a host name") }
      guard allowingOtherMachines else { throw Self.refusal(of: name.name) }
      self.host = name.name
    }
  }

  private static func refusal(of host: String) -> Refusal {
    Refusal(
      description: "\(host) is another machine: a core's port lets in everyone who reaches it, so only this machine's own "
        + "(127.0.0.1, ::1, localhost) is used")
  }

  /// The address for people: `127.0.0.1:5225`, `[::1]:5225`.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
