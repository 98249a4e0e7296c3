// Written by `make generate` from org.batond.Operators.varlink.

/// A reply of org.batond.Operators.List.
public struct OperatorsListReply: Codable, Hashable, Sendable {
  /// The operators.
  public var operators: [Operator]
  /// Their servers. Only with 'more'.
  public var servers: [Server]?
  /// Their relays. Only with 'more'.
  public var relays: [Relay]?
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?
  /// The revision to which the reply corresponds.
  public var revision: Int64

  public init(
    operators: [Operator],
    servers: [Server]? = nil,
    relays: [Relay]? = nil,
    nextCursor: String? = nil,
    revision: Int64
  ) {
    self.operators = operators
    self.servers = servers
    self.relays = relays
    self.nextCursor = nextCursor
    self.revision = revision
  }
}

/// A reply of org.batond.Operators.Get.
public struct OperatorsGetReply: Codable, Hashable, Sendable {
  /// The operator.
  public var `operator`: Operator
  /// Its servers.
  public var servers: [Server]
  /// Its relays.
  public var relays: [Relay]

  public init(
    operator: Operator,
    servers: [Server],
    relays: [Relay]
  ) {
    self.operator = `operator`
    self.servers = servers
    self.relays = relays
  }
}

/// A reply that is one `Operator`.
public struct OperatorReply: Codable, Hashable, Sendable {
  /// The operator as stored.
  public var `operator`: Operator

  public init(
    operator: Operator
  ) {
    self.operator = `operator`
  }
}

/// A reply of org.batond.Operators.Validate.
public struct OperatorsValidateReply: Codable, Hashable, Sendable {
  /// Problems that prevent channels from working.
  public var errors: [Finding]
  /// Possible problems.
  public var warnings: [Finding]

  public init(
    errors: [Finding],
    warnings: [Finding]
  ) {
    self.errors = errors
    self.warnings = warnings
  }
}
