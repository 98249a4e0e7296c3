/// The roles that servers have (SimpleX 7.0, `ServerRoles`).
public struct ServerRoles: Hashable, Sendable {
  /// The server stores messages or files.
  public var storage: Bool
  /// The server forwards to servers that should not see the client.
  public var proxy: Bool
  /// The server resolves names. Only message servers can.
  public var names: Bool

  public init(storage: Bool, proxy: Bool, names: Bool) {
    self.storage = storage
    self.proxy = proxy
    self.names = names
  }

  /// The roles of one's own servers.
  public static let own = ServerRoles(storage: true, proxy: true, names: false)

  /// One server's deviations from the roles of its operator. `nil` means that it does not deviate.
  public struct Override: Hashable, Sendable {
    public var storage: Bool?
    public var proxy: Bool?
    public var names: Bool?

    public init(storage: Bool? = nil, proxy: Bool? = nil, names: Bool? = nil) {
      self.storage = storage
      self.proxy = proxy
      self.names = names
    }

    public var isEmpty: Bool { storage == nil && proxy == nil && names == nil }
  }

  /// These roles with one server's deviations.
  /// - Parameter transport: the server's protocol. File servers never resolve names.
  public func with(_ override: Override, on transport: ServerProtocol) -> ServerRoles {
    ServerRoles(
      storage: override.storage ?? storage, proxy: override.proxy ?? proxy,
      names: transport == .smp && (override.names ?? names))
  }
}
