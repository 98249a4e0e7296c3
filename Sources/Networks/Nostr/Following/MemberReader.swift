internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Asks a relay for the members of its groups (kinds 39001 and 39002): when a group is followed, after each loss of the connection,
/// whenever the relay serves an event that may change them, and when the group is read again. Relays make these lists when someone asks,
/// and do not send all of them by themselves. It is a part of `FollowerMachine`.
struct MemberReader: Sendable {
  /// How many groups one request names.
  static let groupsMax = 50
  /// The wait between two requests, and after an unanswered request, in ticks.
  static let pauseTicks = 1
  static let retryTicks = 60

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var waiting: Deque<ChannelID> = []
  private var asking: (name: String, groups: [String: ChannelReading])?
  /// The newest lists that the relay has served so far.
  private var found: [ListName: NostrEvent] = [:]
  private var ticksLeft = 0
  /// Whether the next request does not wait.
  private var isHurried = false
  private var size = RequestSize(most: Self.groupsMax)

  private struct ListName: Hashable {
    let group: String
    let kind: Int
  }

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  func asks(_ name: String) -> Bool { name == asking?.name }

  /// - Parameter atOnce: whether a caller waits for the answer. An answer under way may be older, so Baton asks again.
  mutating func want(_ group: ChannelID, atOnce: Bool = false) {
    if !waiting.contains(group) { waiting.append(group) }
    isHurried = isHurried || atOnce
  }

  /// Begins a new connection, or forgets the request because it is gone.
  mutating func reset() {
    giveUp()
    ticksLeft = 0
    size.connected()
  }

  mutating func tick() { ticksLeft = max(0, ticksLeft - 1) }

  /// Asks for the next lists, unless some are asked for. The connection must be open.
  mutating func askNext(_ followed: FollowedChannels) -> [FollowerMachine.Action] {
    guard asking == nil, ticksLeft == 0 || isHurried, !waiting.isEmpty else { return [] }
    isHurried = false
    var groups: [String: ChannelReading] = [:]
    while groups.count < size.next, let id = waiting.popFirst() {
      if let group = followed[id], group.kind == .group { groups[group.networkID] = group }
    }
    guard !groups.isEmpty else { return [] }
    subscriptionNumber += 1
    let name = "\(prefix)g\(subscriptionNumber)"
    (asking, ticksLeft) = ((name, groups), Self.pauseTicks)
    return [
      .expect(frames: 4 * groups.count, bytes: groups.count * limits.messageBytesMax / Self.groupsMax),
      .send(ClientMessage.request(name, [GroupMembers.filter(groups.keys.sorted())])),
      .setTimer(.answerMembers, after: limits.readTimeout),
    ]
  }

  /// Handles an event that the relay serves for the request. Events that it did not sign itself do not count.
  mutating func take(_ event: NostrEvent) {
    guard let id = event.tag("d"), let group = asking?.groups[id], event.publicKey == group.relayKey,
      [RelayGroup.adminsKind, GroupMembers.membersKind].contains(event.kind)
    else { return }
    let name = ListName(group: id, kind: event.kind)
    if let known = found[name], !event.isNewer(than: known) { return }
    guard (try? event.verify()) != nil else { return }
    found[name] = event
  }

  /// Handles the end of the stored events.
  /// - Returns: the members in the lists.
  mutating func served() -> (news: [MessageNews], actions: [FollowerMachine.Action]) {
    guard let asking else { return ([], []) }
    let lists = found.sorted { ($0.key.group, $0.key.kind) < ($1.key.group, $1.key.kind) }
    let news = lists.compactMap { name, event -> MessageNews? in
      guard let group = asking.groups[name.group], let members = ReadMembers(event, ownKey: group.ownKey) else { return nil }
      return MessageNews(channel: group.id, isLive: true, what: .members(members))
    }
    size.took(asking.groups.count)
    (self.asking, found) = (nil, [:])
    return (news, [.cancelTimer(.answerMembers), .send(ClientMessage.close(asking.name))])
  }

  /// Handles a request that the relay ended. A relay that does not list its members may serve everything else, and a relay that finds the
  /// request too long accepts a shorter one.
  mutating func closed() -> [FollowerMachine.Action] {
    refused()
    return [.cancelTimer(.answerMembers)]
  }

  /// Handles a request that was not answered in time like a request that the relay ended.
  mutating func timedOut() -> [FollowerMachine.Action] {
    guard let asking else { return [] }
    refused()
    return [.send(ClientMessage.close(asking.name))]
  }

  private mutating func refused() {
    let count = asking?.groups.count ?? 0
    size.refused(count)
    giveUp()
    ticksLeft = count > size.next ? Self.pauseTicks : Self.retryTicks
  }

  /// Groups that are asked for wait again.
  private mutating func giveUp() {
    for group in asking?.groups.values.sorted(by: { $0.id < $1.id }) ?? [] { want(group.id) }
    (asking, found) = (nil, [:])
  }
}
