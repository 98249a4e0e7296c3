/// The limits and times of the connection to a core.
public struct CoreLimits: Hashable, Sendable {
  /// How long connecting and opening the WebSocket may take together.
  public var dialTimeout: Duration = .seconds(5)
  /// How long to wait for the answer to a command that the core carries out alone.
  public var localTimeout: Duration = .seconds(15)
  /// How long to wait for the answer to a command for which the core talks to servers. The core waits up to 40 seconds for a relay itself.
  public var networkTimeout: Duration = .seconds(90)
  /// How long without a byte before a ping is sent.
  public var pingInterval: Duration = .seconds(15)
  /// How long without a byte before the connection counts as dead.
  public var silenceMax: Duration = .seconds(60)
  /// How long a connection must last to count as good. After it, the waits between dials start again from the shortest.
  public var stableAfter: Duration = .seconds(30)
  /// The wait before the second dial. It doubles with each further failure.
  public var redialFirst: Duration = .seconds(1)
  /// The longest wait between dials.
  public var redialMax: Duration = .seconds(30)
  /// The largest message accepted from the core, in bytes.
  public var frameBytesMax = 16 << 20
  /// How many commands may wait for their turn.
  public var queueMax = 1024
  /// How many messages that a core does not send are accepted from a peer that has not yet proved to be a core.
  public var rubbishMax = 3

  /// The defaults.
  public init() {}

  /// How long to wait for the answer to `command`.
  func timeout(of command: CoreCommand) -> Duration {
    switch command {
    case .createChannel, .addRelays, .removeMembers, .deleteGroup, .plan, .prepare, .join, .leave, .updateProfile, .testRelay,
      .testServer:
      networkTimeout
    // The core answers before it sends, but it may be busy with the group, and a lost answer to these is costly.
    case .send, .updateItem, .deleteItems, .react, .moderate, .setRole, .block: networkTimeout
    case .version, .activeUser, .users, .createUser, .checkRunning, .operators, .servers, .setServers, .validateServers,
      .relays, .allowRelay, .link, .groups, .members, .member, .info, .itemInfo, .page:
      localTimeout
    }
  }
}
