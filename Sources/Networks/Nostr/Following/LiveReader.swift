internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Keeps subscriptions to the messages of channels, many channels in each. It is a part of `FollowerMachine`.
///
/// A subscription has no `since`: relays would leave out events that are dated back. When it changes, another with a new name replaces it,
/// and it is closed only once the other works, so no event is missed in between.
struct LiveReader: Sendable {
  /// The number of channels in one subscription.
  static let channelsMax = 250
  /// While channels come to be followed, how long a REQ waits for company.
  static let gatherTime = Duration.milliseconds(500)
  /// The wait before channels that were refused are asked for again, in ticks. It doubles each time.
  static let retryTicksFirst = 6
  static let retryTicksMax = 720
  /// How often subscriptions may be divided in a row, because the relay refuses some of their channels and perhaps not all, or finds them
  /// too long. Each tick allows one more division.
  static let divisionsMax = 64

  /// Channels that share a subscription.
  private struct Chunk: Sendable {
    var channels: [ChannelID]
    /// The name of the subscription that it replaces.
    var replaced: String?
    /// How often in a row it was refused.
    var failures = 0
    /// Whether it is a part of a subscription that was refused, perhaps because of one channel, so that all of it may be accepted.
    var isPart = false
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
  /// The number of channels that one REQ may ask for.
  private(set) var size = RequestSize(most: Self.channelsMax)

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  /// Whether every channel is in a subscription that works, or was refused.
  var isSettled: Bool { new.isEmpty && queue.isEmpty && asking == nil }

  /// Whether a subscription has this name.
  func asks(_ name: String) -> Bool { open[name] != nil || name == asking?.name }

  /// Whether events under this name come as they happen. Before that, they come because they were asked for.
  func isLive(_ name: String) -> Bool { open[name] != nil }

  /// Begins a new connection.
  mutating func begin(_ channels: [ChannelID]) {
    end()
    placed = Set(channels)
    if !channels.isEmpty { queue.append(Chunk(channels: channels)) }
  }

  /// Forgets all subscriptions: the connection is gone.
  mutating func end() {
    (queue, asking, open, refused, new, placed) = ([], nil, [:], [], [], [])
    (isGathering, divisionsLeft) = (false, Self.divisionsMax)
    size.connected()
  }

  mutating func add(_ channel: ChannelID) -> [FollowerMachine.Action] {
    guard placed.insert(channel).inserted else { return [] }
    new.append(channel)
    return gather()
  }

  /// Notes that a channel is no longer followed.
  mutating func changed() -> [FollowerMachine.Action] { gather() }

  private mutating func gather() -> [FollowerMachine.Action] {
    guard !isGathering else { return [] }
    isGathering = true
    return [.setTimer(.gather, after: Self.gatherTime)]
  }

  /// Puts the gathered channels into subscriptions.
  mutating func gathered(_ followed: FollowedChannels) -> [FollowerMachine.Action] {
    isGathering = false
    var actions: [FollowerMachine.Action] = []
    let replaced = Set((queue + [asking?.chunk].compactMap { $0 } + refused.map(\.chunk)).compactMap(\.replaced))
    for (name, channels) in open.sorted(by: { $0.key < $1.key }) where !replaced.contains(name) {
      let left = channels.filter { followed[$0] != nil }
      let kind = left.first.flatMap { followed[$0]?.kind }
      let added = Array(new.lazy.filter { followed[$0]?.kind == kind }.prefix(max(0, size.most - left.count)))
      guard left.count < channels.count || !added.isEmpty else { continue }
      placed.subtract(channels)
      placed.formUnion(left)
      new.removeAll(where: Set(added).contains)
      if left.isEmpty, added.isEmpty {
        open[name] = nil
        actions.append(.send(ClientMessage.close(name)))
      } else {
        queue.append(Chunk(channels: left + added, replaced: name))
      }
    }
    if !new.isEmpty { queue.append(Chunk(channels: new)) }
    new = []
    return actions
  }

  /// Asks for the next subscription, unless one is asked for. The connection must be open.
  mutating func askNext(_ followed: FollowedChannels) -> [FollowerMachine.Action] {
    guard asking == nil else { return [] }
    while var chunk = queue.popFirst() {
      let left = chunk.channels.filter { followed[$0] != nil }
      placed.subtract(Set(chunk.channels).subtracting(left))
      chunk.channels = left
      guard !left.isEmpty else {
        guard let name = chunk.replaced, open.removeValue(forKey: name) != nil else { continue }
        return [.send(ClientMessage.close(name))]
      }
      // One filter in each, because some relays refuse several, or heed only the first, and not more channels than the relay accepts.
      let kind = followed[left[0]]?.kind ?? .channel
      let first = Array(left.lazy.filter { followed[$0]?.kind == kind }.prefix(chunk.isPart ? left.count : size.most))
      if first.count < left.count { chunk = split(chunk, first) }
      subscriptionNumber += 1
      let name = "\(prefix)l\(subscriptionNumber)"
      asking = (name, chunk)
      let filter = Self.filter(kind, first.compactMap { followed[$0]?.networkID })
      return [.send(ClientMessage.request(name, [filter])), .setTimer(.answer, after: limits.readTimeout)]
    }
    return []
  }

  /// One event is enough: the rest is read page by page. Some relays serve everything if they are asked for none.
  private static func filter(_ kind: ChannelKind, _ ids: [String]) -> JSONValue {
    var members = ChannelReading.filter(kind, ids, isLive: true).json().object ?? [:]
    members["limit"] = 1
    return .object(members)
  }

  /// The part of a chunk with these channels. The rest is asked for after it, and the older subscription is closed with that.
  private mutating func split(_ chunk: Chunk, _ first: [ChannelID]) -> Chunk {
    let taken = Set(first)
    let rest = chunk.channels.filter { !taken.contains($0) }
    queue.prepend(Chunk(channels: rest, replaced: chunk.replaced, failures: chunk.failures, isPart: chunk.isPart))
    return Chunk(channels: first, failures: chunk.failures, isPart: chunk.isPart)
  }

  // MARK: - Answers

  /// Handles the end of the stored events: the subscription works now.
  /// - Returns: its channels.
  mutating func served(
    _ name: String, _ followed: FollowedChannels
  ) -> (actions: [FollowerMachine.Action], heard: [ChannelID]) {
    guard let asking, asking.name == name else { return ([], []) }
    self.asking = nil
    let channels = asking.chunk.channels
    size.took(channels.count)
    open[name] = channels
    var actions: [FollowerMachine.Action] = [.cancelTimer(.answer)]
    if let old = asking.chunk.replaced, open.removeValue(forKey: old) != nil { actions.append(.send(ClientMessage.close(old))) }
    if channels.contains(where: { followed[$0] == nil }) { actions += gather() }
    return (actions, channels)
  }

  /// Handles a subscription that the relay ended.
  /// - Returns: the channels that are not heard until they are asked for again.
  mutating func closed(_ name: String, _ text: String) -> (actions: [FollowerMachine.Action], deaf: [ChannelID]) {
    if let channels = open.removeValue(forKey: name) {
      // A subscription that was to be replaced still gets its successor.
      let isReplaced = (queue + [asking?.chunk].compactMap { $0 }).contains { $0.replaced == name }
      return (isReplaced ? [] : wait(Chunk(channels: channels)), channels)
    }
    guard let asking, asking.name == name else { return ([], []) }
    self.asking = nil
    // More subscriptions do not help where there are too many, or too often.
    if [.rejected, .authRequired].contains(ClosedRequest(text).trouble.cause), asking.chunk.channels.count > 1,
      divisionsLeft > 0, !text.contains("subscription")
    {
      size.refused(asking.chunk.channels.count)
      divide(asking.chunk, isRefused: true)
      return ([.cancelTimer(.answer)], [])
    }
    return ([.cancelTimer(.answer)] + wait(asking.chunk), deaf(of: asking.chunk))
  }

  /// Handles a REQ that was not answered in time. The relay may find it too long, so a part of it follows. One channel comes first, to tell
  /// such a relay from a relay that answers nothing.
  /// - Returns: as of `closed`.
  mutating func timedOut() -> (actions: [FollowerMachine.Action], deaf: [ChannelID]) {
    guard let asking else { return ([], []) }
    self.asking = nil
    let closing = FollowerMachine.Action.send(ClientMessage.close(asking.name))
    guard asking.chunk.channels.count > 1, divisionsLeft > 0 else {
      return ([closing] + wait(asking.chunk), deaf(of: asking.chunk))
    }
    size.refused(asking.chunk.channels.count)
    divide(asking.chunk, isRefused: false)
    if let half = queue.popFirst() { queue.prepend(split(half, [half.channels[0]])) }
    return ([closing], [])
  }

  private mutating func divide(_ chunk: Chunk, isRefused: Bool) {
    divisionsLeft -= 1
    var chunk = chunk
    chunk.isPart = isRefused
    queue.prepend(split(chunk, Array(chunk.channels[..<(chunk.channels.count / 2)])))
  }

  /// The channels that are not in the older subscription either.
  private func deaf(of chunk: Chunk) -> [ChannelID] {
    let heard = Set(chunk.replaced.flatMap { open[$0] } ?? [])
    return chunk.channels.filter { !heard.contains($0) }
  }

  private mutating func wait(_ chunk: Chunk) -> [FollowerMachine.Action] {
    var ticks = Self.retryTicksFirst
    for _ in 0..<chunk.failures where ticks < Self.retryTicksMax { ticks *= 2 }
    var (chunk, actions) = (chunk, [FollowerMachine.Action]())
    chunk.failures += 1
    // An older subscription without any of these channels has nothing to wait for.
    if let old = chunk.replaced, let channels = open[old], Set(channels).isDisjoint(with: chunk.channels) {
      open[old] = nil
      chunk.replaced = nil
      actions.append(.send(ClientMessage.close(old)))
    }
    refused.append((chunk, min(ticks, Self.retryTicksMax)))
    return actions
  }

  /// Notes that a tick has passed: some channels that were refused are asked for again.
  mutating func tick() {
    divisionsLeft = min(Self.divisionsMax, divisionsLeft + 1)
    for index in refused.indices { refused[index].ticks -= 1 }
    queue.append(contentsOf: refused.filter { $0.ticks <= 0 }.map(\.chunk))
    refused.removeAll { $0.ticks <= 0 }
  }
}
