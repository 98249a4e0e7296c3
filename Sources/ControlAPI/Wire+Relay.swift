/// A chat relay, as in org.batond.Relays. The `.varlink` file documents the fields.
public struct Relay: Codable, Hashable, Sendable {
  public var id: Int64
  public var network: String
  public var address: String
  public var name: String
  public var operatorId: Int64?
  public var enabled: Bool
  public var preset: Bool
  public var deleted: Bool
  public var tested: Bool?
  public var testedAt: String?
  public var health: String
  public var healthSince: String?
  public var lastError: String?
  public var roundTripMilliseconds: Int64?
  public var channels: Int64?
  public var revision: Int64

  public init(
    id: Int64, network: String, address: String, name: String, operatorId: Int64? = nil, enabled: Bool, preset: Bool,
    deleted: Bool, tested: Bool? = nil, testedAt: String? = nil, health: String, healthSince: String? = nil,
    lastError: String? = nil, roundTripMilliseconds: Int64? = nil, channels: Int64? = nil, revision: Int64
  ) {
    self.id = id
    self.network = network
    self.address = address
    self.name = name
    self.operatorId = operatorId
    self.enabled = enabled
    self.preset = preset
    self.deleted = deleted
    self.tested = tested
    self.testedAt = testedAt
    self.health = health
    self.healthSince = healthSince
    self.lastError = lastError
    self.roundTripMilliseconds = roundTripMilliseconds
    self.channels = channels
    self.revision = revision
  }
}

/// One step of a relay test. The `.varlink` file documents the fields.
public struct TestStep: Codable, Hashable, Sendable {
  public var name: String
  public var durationMilliseconds: Double
  public var passed: Bool
  public var cause: String?
  public var detail: String

  public init(name: String, durationMilliseconds: Double, passed: Bool, cause: String? = nil, detail: String) {
    self.name = name
    self.durationMilliseconds = durationMilliseconds
    self.passed = passed
    self.cause = cause
    self.detail = detail
  }
}

/// Parameters of org.batond.Relays.Test. The `.varlink` file documents the fields.
public struct TestRequest: Codable, Hashable, Sendable {
  public var id: Int64?
  public var address: String?
  public var network: String?

  public init(id: Int64? = nil, address: String? = nil, network: String? = nil) {
    self.id = id
    self.address = address
    self.network = network
  }
}

/// Parameters of org.batond.Relays.Add. The `.varlink` file documents the fields.
public struct AddRelay: Codable, Hashable, Sendable {
  public var address: String
  public var name: String?
  public var network: String?
  public var enabled: Bool?

  public init(address: String, name: String? = nil, network: String? = nil, enabled: Bool? = nil) {
    self.address = address
    self.name = name
    self.network = network
    self.enabled = enabled
  }
}
