internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Keeps subscriptions to what is said in channels, many channels in each. It is a part of `FollowerMachine`.
///
/// A subscription has no `since`: relays would leave out what is dated back. One that changes is replaced by another with a new name, and
/// is closed only once that one works, so nothing falls between them.
struct LiveReader: Sendable {
  /// The number of channels in one subscription.
  static let channelsMax = 250
  /// While channels come to be followed, how long a REQ waits for company.
  static let gatherTime = Duration.milliseconds(500)
  /// The wait before channels that were refused are asked for again, in ticks; it doubles each time.
  static let retryTicksFirst = 6
  static let retryTicksMax = 720
  /// How often subscriptions are divided over one connection, because the relay refuses some of their channels and perhaps not all.
  static let divisionsMax = 64

  /// Channels that share a subscription.
  private struct Chunk: Sendable {
    var channels: [ChannelID]
    /// The name of the subscription whose place it takes.
    var replaced: String?
    /// How often in a row it was refused.
    var failures = 0
  }

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var queue: Deque<Chunk> = []
  private var asking: (name: String, chunk: Chunk)?
  /// The subscriptions that work, by name.
  private var open: [String: [ChannelID]] = [:]
  private var refused: [(chunk: Chunk, ticks: Int)] = []
  /// Channels that wait for company.
  private var new: [ChannelID] = []
  /// Channels that are anywhere in the above.
  private var placed: Set<ChannelID> = []
  private var isGathering = false
  private var divisionsLeft = Self.divisionsMax

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  /// Whether every channel is in a subscription that works, or was refused.
  var isSettled: Bool { new.isEmpty && queue.isEmpty && asking == nil }

  /// Whether a subscription has this name.
  func asks(_ name: String) -> Bool { open[name] != nil || name == asking?.name }

  /// Whether events under this name come as they happen; before, they come because they were asked for.
  func isLive(_ name: String) -> Bool { open[name] != nil }

  /// Begins a new connection.
  mutating func begin(_ channels: [ChannelID]) {
    end()
    placed = Set(channels)
    for start in stride(from: 0, to: channels.count, by: Self.channelsMax) {
      queue.append(Chunk(channels: Array(channels[start..<min(start + Self.channelsMax, channels.count)])))
    }
  }

  /// Forgets all subscriptions: the connection is gone.
  mutating func end() {
    (queue, asking, open, refused, new, placed) = ([], nil, [:], [], [], [])
    (isGathering, divisionsLeft) = (false, Self.divisionsMax)
  }

  mutating func add(_ channel: ChannelID) -> [SessionAction] {
    guard placed.insert(channel).inserted else { return [] }
    new.append(channel)
    return gather()
  }

  /// Notes that a channel is followed no more.
  mutating func changed() -> [SessionAction] { gather() }

  private mutating func gather() -> [SessionAction] {
    guard !isGathering else { return [] }
    isGathering = true
    return [.setTimer(.gather, after: Self.gatherTime)]
  }

  /// Puts what has gathered into subscriptions.
  mutating func gathered(_ followed: FollowedChannels) -> [SessionAction] {
    isGathering = false
    var actions: [SessionAction] = []
    let replaced = Set((queue + [asking?.chunk].compactMap { $0 } + refused.map(\.chunk)).compactMap(\.replaced))
    for (name, channels) in open.sorted(by: { $0.key < $1.key }) where !replaced.contains(name) {
      let left = channels.filter { followed[$0] != nil }
      let room = Self.channelsMax - left.count
      let added = room > 0 ? Array(new.prefix(room)) : []
      guard left.count < channels.count || !added.isEmpty else { continue }
      placed.subtract(channels)
      placed.formUnion(left)
      new.removeFirst(added.count)
      if left.isEmpty, added.isEmpty {
        open[name] = nil
        actions.append(.send(ClientMessage.close(name)))
      } else {
        queue.append(Chunk(channels: left + added, replaced: name))
      }
    }
    while !new.isEmpty {
      let channels = Array(new.prefix(Self.channelsMax))
      new.removeFirst(channels.count)
      queue.append(Chunk(channels: channels))
    }
    return actions
  }

  /// Asks for the next subscription, unless one is asked for. The connection must be open.
  mutating func askNext(_ followed: FollowedChannels) -> [SessionAction] {
    guard asking == nil else { return [] }
    while var chunk = queue.popFirst() {
      let left = chunk.channels.filter { followed[$0] != nil }
      placed.subtract(Set(chunk.channels).subtracting(left))
      chunk.channels = left
      guard !left.isEmpty else {
        guard let name = chunk.replaced, open.removeValue(forKey: name) != nil else { continue }
        return [.send(ClientMessage.close(name))]
      }
      subscriptionNumber += 1
      let name = "\(prefix)l\(subscriptionNumber)"
      asking = (name, chunk)
      let filters = Self.filters(left.compactMap { followed[$0] })
      return [.send(ClientMessage.request(name, filters)), .setTimer(.answer, after: limits.readTimeout)]
    }
    return []
  }

  /// One event is enough: the rest is read page by page. Some relays serve everything if they are asked for none.
  private static func filters(_ channels: [ChannelReading]) -> [JSONValue] {
    [ChannelKind.channel, .group].compactMap { kind in
      let ids = channels.filter { $0.kind == kind }.map(\.networkID)
      guard !ids.isEmpty, var filter = ChannelReading.filter(kind, ids, isLive: true).json().object else { return nil }
      filter["limit"] = 1
      return .object(filter)
    }
  }

  // MARK: - Answers

  /// Handles the end of what is stored: from now on the subscription works.
  /// - Returns: its channels.
  mutating func served(_ name: String, _ followed: FollowedChannels) -> (actions: [SessionAction], heard: [ChannelID]) {
    guard let asking, asking.name == name else { return ([], []) }
    self.asking = nil
    let channels = asking.chunk.channels
    open[name] = channels
    var actions: [SessionAction] = [.cancelTimer(.answer)]
    if let old = asking.chunk.replaced, open.removeValue(forKey: old) != nil { actions.append(.send(ClientMessage.close(old))) }
    if channels.contains(where: { followed[$0] == nil }) { actions += gather() }
    return (actions, channels)
  }

  /// Handles a subscription that the relay ended.
  /// - Returns: the channels that are not heard until they are asked for again.
  mutating func closed(_ name: String, _ text: String) -> (actions: [SessionAction], deaf: [ChannelID]) {
    if let channels = open.removeValue(forKey: name) {
      // One that was to be replaced gets its successor all the same.
      let isReplaced = (queue + [asking?.chunk].compactMap { $0 }).contains { $0.replaced == name }
      return (isReplaced ? [] : wait(Chunk(channels: channels)), channels)
    }
    guard let asking, asking.name == name else { return ([], []) }
    self.asking = nil
    // More subscriptions are no remedy where there are too many, or too often.
    if case .refused = ClosedRequest(text).outcome, asking.chunk.channels.count > 1, divisionsLeft > 0,
      !text.contains("subscription")
    {
      divide(asking.chunk)
      return ([.cancelTimer(.answer)], [])
    }
    return ([.cancelTimer(.answer)] + wait(asking.chunk), deaf(of: asking.chunk))
  }

  /// Handles a REQ that was not answered in time.
  /// - Returns: as of `closed`.
  mutating func timedOut() -> (actions: [SessionAction], deaf: [ChannelID]) {
    guard let asking else { return ([], []) }
    self.asking = nil
    return ([.send(ClientMessage.close(asking.name))] + wait(asking.chunk), deaf(of: asking.chunk))
  }

  private mutating func divide(_ chunk: Chunk) {
    divisionsLeft -= 1
    let half = chunk.channels.count / 2
    // The older subscription is closed with the last part.
    queue.prepend(Chunk(channels: Array(chunk.channels[half...]), replaced: chunk.replaced, failures: chunk.failures))
    queue.prepend(Chunk(channels: Array(chunk.channels[..<half]), failures: chunk.failures))
  }

  /// The channels that are not in the older subscription either.
  private func deaf(of chunk: Chunk) -> [ChannelID] {
    let heard = Set(chunk.replaced.flatMap { open[$0] } ?? [])
    return chunk.channels.filter { !heard.contains($0) }
  }

  private mutating func wait(_ chunk: Chunk) -> [SessionAction] {
    var ticks = Self.retryTicksFirst
    for _ in 0..<chunk.failures where ticks < Self.retryTicksMax { ticks *= 2 }
    var (chunk, actions) = (chunk, [SessionAction]())
    chunk.failures += 1
    // An older subscription that has none of these channels has nothing to wait for.
    if let old = chunk.replaced, let channels = open[old], Set(channels).isDisjoint(with: chunk.channels) {
      open[old] = nil
      chunk.replaced = nil
      actions.append(.send(ClientMessage.close(old)))
    }
    refused.append((chunk, min(ticks, Self.retryTicksMax)))
    return actions
  }

  /// Notes that a tick has passed: some that were refused are asked for again.
  mutating func tick() {
    for index in refused.indices { refused[index].ticks -= 1 }
    queue.append(contentsOf: refused.filter { $0.ticks <= 0 }.map(\.chunk))
    refused.removeAll { $0.ticks <= 0 }
  }
}
