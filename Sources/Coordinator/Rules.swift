public import Channels

/// What the coordinator goes by and may change while it runs.
public struct Rules: Sendable {
  /// Timers and limits of channel relays.
  public var policy: RelayPolicy
  /// The same for networks on which others hold.
  public var policies: [NetworkKind: RelayPolicy]
  /// Of the tests in the background; nil: none.
  public var schedule: TestSchedule?
  /// How settled channels are looked after; nil: not at all.
  public var upkeep: UpkeepPolicy?

  public init(
    policy: RelayPolicy, policies: [NetworkKind: RelayPolicy] = [:], schedule: TestSchedule? = nil,
    upkeep: UpkeepPolicy? = nil
  ) {
    self.policy = policy
    self.policies = policies
    self.schedule = schedule
    self.upkeep = upkeep
  }

  func policy(of network: NetworkKind) -> RelayPolicy { policies[network] ?? policy }

  /// The longest time between two read-backs of a channel relay, on any network.
  var verifyIntervalMax: Duration { policies.values.map(\.verifyInterval).reduce(policy.verifyInterval, max) }
}
