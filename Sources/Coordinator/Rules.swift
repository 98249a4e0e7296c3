public import Channels

/// The rules of the coordinator, which may change while it runs.
public struct Rules: Hashable, Sendable {
  /// Timers and limits of channel relays.
  public var policy: RelayPolicy
  /// The same for networks with separate policies.
  public var policies: [NetworkKind: RelayPolicy]
  /// Timers and limits of deliveries of posts.
  public var delivery: DeliveryPolicy
  /// The schedule of tests in the background. `nil` if there are none.
  public var schedule: TestSchedule?
  /// The upkeep of settled channels. `nil` for none.
  public var upkeep: UpkeepPolicy?

  public init(
    policy: RelayPolicy, policies: [NetworkKind: RelayPolicy] = [:], delivery: DeliveryPolicy = DeliveryPolicy(),
    schedule: TestSchedule? = nil, upkeep: UpkeepPolicy? = nil
  ) {
    self.delivery = delivery
    self.policy = policy
    self.policies = policies
    self.schedule = schedule
    self.upkeep = upkeep
  }

  func policy(of network: NetworkKind) -> RelayPolicy { policies[network] ?? policy }

  /// The longest time between two read-backs of a channel relay, on any network.
  var verifyIntervalMax: Duration { policies.values.map(\.verifyInterval).reduce(policy.verifyInterval, max) }
}
