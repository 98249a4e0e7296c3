/// Limits and times of the connection to a core.
public struct CoreLimits: Hashable, Sendable {
  /// Connecting and opening the WebSocket together.
  public var dialTimeout: Duration = .seconds(5)
  /// Wait for the answer to a command that the core carries out alone.
  public var localTimeout: Duration = .seconds(15)
  /// Wait for the answer to a command for which the core talks to servers; it waits up to 40 seconds for a relay itself.
  public var networkTimeout: Duration = .seconds(90)
  /// Ping after this long without a byte.
  public var pingInterval: Duration = .seconds(15)
  /// Dead after this long without a byte.
  public var silenceMax: Duration = .seconds(60)
  /// A connection that held this long counts as good; redialling begins anew after it.
  public var stableAfter: Duration = .seconds(30)
  /// Wait before the second dial; doubles with each further failure.
  public var redialFirst: Duration = .seconds(1)
  /// Longest wait between dials.
  public var redialMax: Duration = .seconds(30)
  /// Largest message taken from the core, in bytes.
  public var frameBytesMax = 16 << 20
  /// Commands that may wait for their turn.
  public var queueMax = 1024
  /// Messages that are none of a core's, before the peer has said that it is one, until it counts as none.
  public var rubbishMax = 3

  /// The defaults.
  public init() {}

  /// How long to wait for the answer to `command`.
  func timeout(of command: CoreCommand) -> Duration {
    switch command {
    case .createChannel, .addRelays, .removeMembers, .deleteGroup, .leave, .updateProfile, .testRelay, .testServer, .start:
      networkTimeout
    case .version, .activeUser, .users, .createUser, .checkRunning, .operators, .servers, .setServers, .validateServers,
      .relays, .allowRelay, .link, .groups, .members, .member, .info:
      localTimeout
    }
  }
}
