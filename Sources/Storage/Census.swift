public import Channels

/// How many channels there are, and how many channel relays, by their properties at one moment.
public struct Census: Hashable, Sendable {
  /// Channels of one network in one phase.
  public struct Channels: Hashable, Sendable {
    public var network: NetworkKind
    public var phase: ChannelPhase
    public var count: Int

    public init(network: NetworkKind, phase: ChannelPhase, count: Int) {
      self.network = network
      self.phase = phase
      self.count = count
    }
  }

  /// Channels that have one relay with one status, for one reason. Relays that were removed from a channel are left out.
  public struct Members: Hashable, Sendable {
    public var relay: RelayID
    public var status: RelayStatus
    public var cause: Cause?
    public var count: Int

    public init(relay: RelayID, status: RelayStatus, cause: Cause?, count: Int) {
      self.relay = relay
      self.status = status
      self.cause = cause
      self.count = count
    }
  }

  /// Channels of one network whose relays are counted alike.
  public struct Counted: Sendable {
    public var network: NetworkKind
    public var relays: PhaseCounts
    public var count: Int

    public init(network: NetworkKind, relays: PhaseCounts, count: Int) {
      self.network = network
      self.relays = relays
      self.count = count
    }
  }

  /// By network and phase, only where there are some.
  public var channels: [Channels]
  /// Channels that readers find nowhere and that no relay is about to get, only where there are some. A channel that lost its relays is
  /// degraded, and one that never had a relay is failed.
  public var onNoRelay: [NetworkKind: Int]
  /// By relay, status and cause, only where there are some.
  public var members: [Members]
  /// How many channels are in quarantine.
  public var quarantined: Int
  /// The start of the longest attempt that has not brought a channel to a relay yet, or `nil` without such an attempt.
  public var oldestAttempt: Timestamp?
  /// The newest revision at that moment.
  public var revision: Int64

  /// - Parameters:
  ///   - channels: in any order.
  ///   - members: the relays of channels by relay and status, with any cause, in any order.
  ///   - causes: the `members` with a cause.
  public init(
    channels: [Counted], members: [Members], causes: [Members], quarantined: Int, oldestAttempt: Timestamp?, revision: Int64
  ) {
    var phases: [Channels: Int] = [:]
    onNoRelay = [:]
    for part in channels {
      phases[Channels(network: part.network, phase: part.relays.phase, count: 0), default: 0] += part.count
      if part.relays.isOnNoRelay { onNoRelay[part.network, default: 0] += part.count }
    }
    self.channels = phases.map { Channels(network: $0.network, phase: $0.phase, count: $1) }.sorted {
      ($0.network.rawValue, $0.phase.rawValue) < ($1.network.rawValue, $1.phase.rawValue)
    }
    var rest: [Members: Int] = [:]
    for part in members { rest[Members(relay: part.relay, status: part.status, cause: nil, count: 0)] = part.count }
    for part in causes { rest[Members(relay: part.relay, status: part.status, cause: nil, count: 0)]? -= part.count }
    let without = rest.map { Members(relay: $0.relay, status: $0.status, cause: nil, count: $1) }
    self.members = (without + causes).filter { $0.count > 0 }.sorted {
      ($0.relay.rawValue, $0.status.rawValue, $0.cause?.rawValue ?? "") < (
        $1.relay.rawValue, $1.status.rawValue, $1.cause?.rawValue ?? ""
      )
    }
    (self.quarantined, self.oldestAttempt, self.revision) = (quarantined, oldestAttempt, revision)
  }
}

/// How channels fared lately on their way to relays.
public struct RelayOutcomes: Hashable, Sendable {
  public struct Relay: Hashable, Sendable {
    /// For each channel that became active there, the time since the hand-over that led there, in milliseconds. A channel whose hand-over
    /// was forgotten is left out.
    public var times: [Int64] = []
    /// How many channels became active there.
    public var reached = 0
    /// How many were given up there.
    public var missed = 0

    public init() {}
  }

  /// By relay, only relays with an outcome.
  public var relays: [RelayID: Relay] = [:]
  /// The time from which outcomes count, or `nil` without a history.
  public var since: Timestamp?

  public init() {}

  /// How many lines of the history are looked at, the latest ones.
  public static let linesMax = 50_000

  /// Adds an outcome. A channel that was there before and comes back does not count.
  /// - Parameters:
  ///   - milliseconds: since the relay was asked again, or `nil` if that was forgotten or if the relay was given up before.
  ///   - status: where the channel stood when the relay was asked again.
  public mutating func add(_ relay: RelayID, isReached: Bool, milliseconds: Int64?, from status: String?) {
    guard status != RelayStatus.inactive.rawValue else { return }
    if isReached {
      relays[relay, default: Relay()].reached += 1
      // The clock may have been set back.
      if let milliseconds { relays[relay, default: Relay()].times.append(max(0, milliseconds)) }
    } else {
      relays[relay, default: Relay()].missed += 1
    }
  }

  /// Puts all times in order.
  public mutating func sort() { for relay in relays.keys { relays[relay]?.times.sort() } }
}
