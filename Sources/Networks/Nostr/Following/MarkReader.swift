internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Keeps a few subscriptions to deletions and reactions of the newest messages of a relay's channels. Outside of groups these name no
/// channel, only the message. It is a part of `FollowerMachine`.
///
/// If there is not enough room for all messages, the channel with the most gives way, so that a busy channel leaves room for a quiet one.
struct MarkReader: Sendable {
  /// The number of subscriptions. A relay that does not accept so many gets fewer.
  static let requestsMax = 4
  /// The number of messages, and of reactions, that are watched for each subscription.
  static let messagesMax = 150
  static let reactionsMax = 50
  /// The number of stored events that a subscription asks for.
  static let storedMax = 500
  /// How often a subscription is renewed when there are new messages, in ticks, and the first and the longest wait after one was refused,
  /// which doubles each time.
  static let renewalTicks = 1
  static let retryTicksFirst = 6
  static let retryTicksMax = 720

  private struct Target: Hashable, Sendable {
    let id: String
    let channel: ChannelID
    let date: Int64
    let isReaction: Bool
  }

  /// The watched messages of each channel, newest first.
  private struct Share: Sendable {
    private var targets: [ChannelID: [Target]] = [:]
    private(set) var count = 0

    /// All of it, oldest first.
    var all: [Target] { targets.values.joined().sorted { ($0.date, $0.id) < ($1.date, $1.id) } }

    mutating func insert(_ target: Target) {
      let place = targets[target.channel]?.firstIndex { $0.date <= target.date }
      targets[target.channel, default: []].insert(target, at: place ?? targets[target.channel]?.count ?? 0)
      count += 1
    }

    /// Removes the oldest message of the channel that has the most.
    mutating func removeOne() -> Target? {
      func rank(_ list: [Target]) -> (Int, Int64, Int64) {
        (list.count, -(list.last?.date ?? 0), list.last?.channel.rawValue ?? 0)
      }
      guard let largest = targets.values.max(by: { rank($0) < rank($1) })?.last?.channel else { return nil }
      count -= 1
      let removed = targets[largest]?.popLast()
      if targets[largest]?.isEmpty ?? false { targets[largest] = nil }
      return removed
    }

    mutating func remove(_ channel: ChannelID) -> [Target] {
      let removed = targets.removeValue(forKey: channel) ?? []
      count -= removed.count
      return removed
    }
  }

  private struct Request: Sendable {
    var ids: Set<String> = []
    /// The subscription that works.
    var open: String?
    /// Whether the watched messages differ from the messages that were asked for.
    var isStale = false
    var ticksLeft = 0
    var failures = 0
    /// Whether the relay does not accept so many.
    var isGivenUp = false

  }

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var messages = Share()
  private var reactions = Share()
  private var places: [String: (target: Target, request: Int)] = [:]
  private var requests = Array(repeating: Request(), count: requestsMax)
  /// The subscription that was asked for, and the number of its ids.
  private var asking: (name: String, request: Int, count: Int)?
  /// The number of messages and reactions that one subscription may ask about.
  private var size = RequestSize(most: messagesMax + reactionsMax)

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  func asks(_ name: String) -> Bool { name == asking?.name || isLive(name) }
  func isLive(_ name: String) -> Bool { requests.contains { $0.open == name } }

  /// The channel of a message that is watched, or of a reaction if it is about a deletion.
  func channel(of id: String, isDeletion: Bool) -> ChannelID? {
    places[id].flatMap { isDeletion || !$0.target.isReaction ? $0.target.channel : nil }
  }

  /// Watches a message, or a reaction, if there is room.
  /// - Parameter date: in Unix seconds, not in the future.
  mutating func add(_ id: String, in channel: ChannelID, date: Int64, isReaction: Bool = false) {
    guard places[id] == nil else { return }
    let target = Target(id: id, channel: channel, date: date, isReaction: isReaction)
    if isReaction { reactions.insert(target) } else { messages.insert(target) }
    if !shrink().contains(target) { place(target) }
  }

  /// Removes messages for which there is not enough room.
  private mutating func shrink() -> [Target] {
    let count = requests.count { !$0.isGivenUp }
    let reactionsMost = size.most * Self.reactionsMax / (Self.messagesMax + Self.reactionsMax)
    var removed: [Target] = []
    while messages.count > count * (size.most - reactionsMost), let target = messages.removeOne() { removed.append(target) }
    while reactions.count > count * reactionsMost, let target = reactions.removeOne() { removed.append(target) }
    for target in removed { forget(target) }
    return removed
  }

  /// New ones come together, so that few subscriptions are renewed.
  private mutating func place(_ target: Target) {
    guard
      let index = requests.firstIndex(where: { $0.isStale && hasRoom($0) }) ?? requests.firstIndex(where: hasRoom)
    else { return }
    requests[index].ids.insert(target.id)
    requests[index].isStale = true
    places[target.id] = (target, index)
  }

  private func hasRoom(_ request: Request) -> Bool { !request.isGivenUp && request.ids.count < size.most }

  /// Removes from each request the part that exceeds the relay's limit.
  private mutating func fit() {
    _ = shrink()
    var left: [Target] = []
    for index in requests.indices where requests[index].ids.count > size.most {
      let ids = requests[index].ids.sorted()
      left += ids.dropFirst(size.most).compactMap { places[$0]?.target }
      requests[index].ids = Set(ids.prefix(size.most))
      requests[index].isStale = true
    }
    for target in left { place(target) }
  }

  private mutating func forget(_ target: Target) {
    guard let index = places.removeValue(forKey: target.id)?.request else { return }
    requests[index].ids.remove(target.id)
    if requests[index].ids.isEmpty { requests[index].isStale = true }
  }

  /// Wants the stored events to be served again, because something was left out.
  mutating func miss() { for index in requests.indices { requests[index].isStale = true } }

  mutating func remove(_ channel: ChannelID) {
    for target in messages.remove(channel) + reactions.remove(channel) { forget(target) }
  }

  /// Begins a new connection, or forgets the subscriptions because they are gone.
  mutating func reset() {
    (asking, places, requests) = (nil, [:], Array(repeating: Request(), count: Self.requestsMax))
    size.connected()
    for target in messages.all + reactions.all { place(target) }
  }

  mutating func tick() { for index in requests.indices { requests[index].ticksLeft = max(0, requests[index].ticksLeft - 1) } }

  /// Asks for the watched messages if they have changed. The connection must be open.
  mutating func askNext() -> [FollowerMachine.Action] {
    var actions: [FollowerMachine.Action] = []
    for index in requests.indices where asking == nil && requests[index].isStale && requests[index].ticksLeft == 0 {
      (requests[index].isStale, requests[index].ticksLeft) = (false, Self.renewalTicks)
      guard !requests[index].ids.isEmpty else {
        actions += close(index)
        continue
      }
      subscriptionNumber += 1
      let name = "\(prefix)m\(subscriptionNumber)"
      let ids = size.isInDoubt ? Set(requests[index].ids.sorted().prefix(1)) : requests[index].ids
      asking = (name, index, ids.count)
      actions += [
        .expect(frames: Self.storedMax, bytes: PageReader.pageBytesMax),
        .send(ClientMessage.request(name, [Self.filter(ids)])),
        .setTimer(.answerMarks, after: limits.readTimeout),
      ]
    }
    return actions
  }

  /// One filter, because some relays accept only one.
  private static func filter(_ ids: Set<String>) -> JSONValue {
    let filter = HistoryFilter(kinds: [NostrPost.deletionKind, NostrPost.reactionKind], tags: ["e": ids])
    var members = filter.json().object ?? [:]
    members["limit"] = .integer(Int64(storedMax))
    return .object(members)
  }

  private mutating func close(_ index: Int) -> [FollowerMachine.Action] {
    guard let name = requests[index].open else { return [] }
    requests[index].open = nil
    return [.send(ClientMessage.close(name))]
  }

  // MARK: - Answers

  /// Handles the end of the stored events.
  mutating func served(_ name: String) -> [FollowerMachine.Action] {
    guard let (asked, index, count) = asking, name == asked else { return [] }
    asking = nil
    let closing = close(index)
    (requests[index].open, requests[index].failures) = (name, 0)
    // A single one was asked about, to find out whether there were too many.
    if requests[index].ids.count > count { requests[index].isStale = true }
    size.took(count)
    fit()
    return [.cancelTimer(.answerMarks)] + closing
  }

  /// Handles a subscription that the relay ended.
  mutating func closed(_ name: String, _ text: String) -> [FollowerMachine.Action] {
    if let index = requests.firstIndex(where: { $0.open == name }) {
      requests[index].open = nil
      // Its successor may be under way.
      if asking?.request != index { wait(index) }
      return []
    }
    guard let (asked, index, count) = asking, name == asked else { return [] }
    asking = nil
    let isOfOthers = ClosedRequest(text).trouble.cause == .rateLimited || text.contains("subscription")
    return [.cancelTimer(.answerMarks)] + (isOfOthers ? refused(index) : refused(index, count))
  }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut() -> [FollowerMachine.Action] {
    guard let (name, index, count) = asking else { return [] }
    asking = nil
    return [.send(ClientMessage.close(name))] + refused(index, count)
  }

  /// A relay may find a REQ too long. A REQ for a single id finds that out.
  private mutating func refused(_ index: Int, _ count: Int) -> [FollowerMachine.Action] {
    size.refused(count)
    guard count > 1, size.isInDoubt else {
      size.connected()
      return refused(index)
    }
    (requests[index].isStale, requests[index].ticksLeft) = (true, Self.renewalTicks)
    return []
  }

  /// A relay that has accepted other subscriptions may not allow more. There must be room for pages, too.
  private mutating func refused(_ index: Int) -> [FollowerMachine.Action] {
    let others = requests.indices.filter { $0 != index && requests[$0].open != nil }
    guard let last = others.last else {
      wait(index)
      return []
    }
    let isNew = requests[index].open == nil
    var actions: [FollowerMachine.Action] = []
    var left: [String] = []
    for victim in (isNew ? [index] : []) + (!isNew || others.count > 1 ? [last] : []) {
      actions += close(victim)
      left += requests[victim].ids
      requests[victim] = Request(isGivenUp: true)
    }
    if !isNew { (requests[index].isStale, requests[index].ticksLeft) = (true, Self.renewalTicks) }
    _ = shrink()
    for target in left.sorted().compactMap({ places[$0]?.target }) { place(target) }
    return actions
  }

  private mutating func wait(_ index: Int) {
    var ticks = Self.retryTicksFirst
    for _ in 0..<requests[index].failures where ticks < Self.retryTicksMax { ticks *= 2 }
    requests[index].isStale = true
    requests[index].ticksLeft = min(ticks, Self.retryTicksMax)
    requests[index].failures += 1
  }
}
