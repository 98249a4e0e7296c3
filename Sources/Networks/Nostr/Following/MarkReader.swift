internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Keeps a subscription to deletions and reactions of the newest messages of a relay's channels. Outside of groups these name no channel,
/// only the message. It is a part of `FollowerMachine`.
struct MarkReader: Sendable {
  /// The number of messages, and of reactions, that are watched.
  static let messagesMax = 200
  static let reactionsMax = 100
  /// The number of stored events that a subscription asks for.
  static let storedMax = 500
  /// How often the subscription is renewed when there are new messages, and the wait after it was refused, in ticks; the latter doubles
  /// each time.
  static let renewalTicks = 6
  static let retryTicksMax = 720

  private struct Target: Hashable, Sendable {
    let id: String
    let channel: ChannelID
    let date: Int64
  }

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  /// Newest first.
  private var messages: [Target] = []
  private var reactions: [Target] = []
  private var channels: [String: ChannelID] = [:]
  /// The subscription that works, and the one that was asked for.
  private var open: String?
  private var asking: String?
  /// Whether what is watched differs from what was asked for.
  private var isStale = false
  private var ticksLeft = 0
  private var failures = 0

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  func asks(_ name: String) -> Bool { name == open || name == asking }
  func isLive(_ name: String) -> Bool { name == open }

  /// The channel of a message or reaction that is watched.
  func channel(of id: String) -> ChannelID? { channels[id] }

  /// Watches a message, or a reaction, if it is among the newest.
  /// - Parameter date: in Unix seconds, not in the future.
  mutating func add(_ id: String, in channel: ChannelID, date: Int64, isReaction: Bool = false) {
    guard channels[id] == nil else { return }
    let target = Target(id: id, channel: channel, date: date)
    let dropped =
      isReaction
      ? Self.insert(target, into: &reactions, max: Self.reactionsMax)
      : Self.insert(target, into: &messages, max: Self.messagesMax)
    if dropped == target { return }
    if let dropped { channels[dropped.id] = nil }
    channels[id] = channel
    isStale = true
  }

  /// - Returns: the one that there is no room for.
  private static func insert(_ target: Target, into targets: inout [Target], max: Int) -> Target? {
    let place = targets.firstIndex { $0.date <= target.date } ?? targets.count
    targets.insert(target, at: place)
    return targets.count > max ? targets.removeLast() : nil
  }

  /// Wants to be served again what is stored, because something was left out.
  mutating func miss() { isStale = true }

  func isReaction(_ id: String) -> Bool { reactions.contains { $0.id == id } }

  mutating func remove(_ channel: ChannelID) {
    messages.removeAll { $0.channel == channel }
    reactions.removeAll { $0.channel == channel }
    channels = channels.filter { $0.value != channel }
  }

  /// Begins a new connection, or forgets the subscription because it is gone.
  mutating func reset() { (open, asking, isStale, ticksLeft, failures) = (nil, nil, true, 0, 0) }

  mutating func tick() { ticksLeft = max(0, ticksLeft - 1) }

  /// Asks for what is watched if that has changed. The connection must be open.
  mutating func askNext() -> [SessionAction] {
    guard isStale, ticksLeft == 0, asking == nil, !messages.isEmpty else { return [] }
    subscriptionNumber += 1
    let name = "\(prefix)m\(subscriptionNumber)"
    (asking, isStale, ticksLeft) = (name, false, Self.renewalTicks)
    // One filter, because some relays refuse several, or heed only the first.
    let filter = Self.filter([NostrPost.deletionKind, NostrPost.reactionKind], messages + reactions)
    return [
      .expect(frames: Self.storedMax, bytes: PageReader.pageBytesMax),
      .send(ClientMessage.request(name, [filter])), .setTimer(.answerPosts, after: limits.readTimeout),
    ]
  }

  private static func filter(_ kinds: Set<Int>, _ targets: [Target]) -> JSONValue {
    let filter = HistoryFilter(kinds: kinds, tags: ["e": Set(targets.map(\.id))])
    var members = filter.json().object ?? [:]
    members["limit"] = .integer(Int64(storedMax))
    return .object(members)
  }

  // MARK: - Answers

  /// Handles the end of what is stored.
  mutating func served(_ name: String) -> [SessionAction] {
    guard name == asking else { return [] }
    let old = open
    (open, asking, failures) = (name, nil, 0)
    return [.cancelTimer(.answerPosts)] + (old.map { [.send(ClientMessage.close($0))] } ?? [])
  }

  /// Handles a subscription that the relay ended.
  mutating func closed(_ name: String) -> [SessionAction] {
    if name == open {
      open = nil
      // Its successor is under way.
      if asking != nil { return [] }
      wait()
      return []
    }
    asking = nil
    wait()
    return [.cancelTimer(.answerPosts)]
  }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut() -> [SessionAction] {
    guard let name = asking else { return [] }
    asking = nil
    wait()
    return [.send(ClientMessage.close(name))]
  }

  private mutating func wait() {
    var ticks = Self.renewalTicks
    for _ in 0..<failures where ticks < Self.retryTicksMax { ticks *= 2 }
    (isStale, ticksLeft, failures) = (true, min(ticks, Self.retryTicksMax), failures + 1)
  }
}
