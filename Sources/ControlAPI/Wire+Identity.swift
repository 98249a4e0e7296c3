/// Who owns channels, as in org.batond.Identities. The `.varlink` file documents the fields.
public struct Identity: Codable, Hashable, Sendable {
  public var id: Int64
  public var name: String
  public var network: String
  public var publicKey: String
  public var channels: Int64
  public var createdAt: String

  public init(id: Int64, name: String, network: String, publicKey: String, channels: Int64, createdAt: String) {
    self.id = id
    self.name = name
    self.network = network
    self.publicKey = publicKey
    self.channels = channels
    self.createdAt = createdAt
  }
}

/// One figure of the daemon, as in org.batond.Daemon. The `.varlink` file documents the fields.
public struct Metric: Codable, Hashable, Sendable {
  public var name: String
  public var kind: String
  public var label: String?
  public var value: Double
  public var description: String

  public init(name: String, kind: String, label: String? = nil, value: Double, description: String) {
    self.name = name
    self.kind = kind
    self.label = label
    self.value = value
    self.description = description
  }
}
