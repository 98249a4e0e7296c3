internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Asks a relay for messages of a channel that hold certain words (NIP-50), one question at a time, and then for the deletions and
/// reactions of the messages that it found. The relay decides which messages match: an event counts if it is a message of the channel and
/// is signed. It is a part of `FollowerMachine`.
struct SearchReader: Sendable {
  /// The number of hits that are asked for, and of events about them.
  static let hitsMax = 200
  static let marksMax = 1_000
  /// The number of questions that may wait.
  static let waitingMax = 16

  /// An event that was asked for, verified.
  enum Found: Hashable, Sendable {
    case said(NostrEvent)
    /// It is about these events, which are in these channels.
    case mark(NostrEvent, [String: ChannelID])
  }

  /// A question that is over.
  struct Over: Hashable, Sendable {
    let search: RelaySearch
    let outcome: RelaySearchOutcome
  }

  private enum Step: Hashable, Sendable {
    case messages
    /// Deletions and reactions of these messages.
    case marks(Set<String>)
  }

  private struct Asking: Sendable {
    let name: String
    let search: RelaySearch
    let channel: ChannelReading
    let step: Step
    let filter: HistoryFilter
    var found: Set<String> = []
    /// The number of events of any kind that the relay has served.
    var served = 0

    var servedMax: Int { step == .messages ? hitsMax : marksMax }
  }

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var waiting: Deque<RelaySearch> = []
  /// The next request for the question that is under way.
  private var next: (search: RelaySearch, channel: ChannelReading, found: Set<String>)?
  private var asking: Asking?

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  func asks(_ name: String) -> Bool { name == asking?.name }

  /// - Returns: false if too many questions wait.
  mutating func want(_ search: RelaySearch) -> Bool {
    guard waiting.count < Self.waitingMax else { return false }
    waiting.append(search)
    return true
  }

  /// Asks the next question, unless one is under way. The connection must be open.
  mutating func askNext(_ followed: FollowedChannels) -> [FollowerMachine.Action] {
    guard asking == nil else { return [] }
    if let (search, channel, found) = next {
      next = nil
      return ask(search, channel, .marks(found))
    }
    while let search = waiting.popFirst() {
      if let channel = followed[search.channel] { return ask(search, channel, .messages) }
    }
    return []
  }

  private mutating func ask(_ search: RelaySearch, _ channel: ChannelReading, _ step: Step) -> [FollowerMachine.Action] {
    subscriptionNumber += 1
    let name = "\(prefix)s\(subscriptionNumber)"
    let filter = ChannelReading.filter(of: channel, step == .messages ? nil : found(step))
    let asking = Asking(name: name, search: search, channel: channel, step: step, filter: filter)
    self.asking = asking
    var members = filter.json().object ?? [:]
    members["limit"] = .integer(Int64(asking.servedMax))
    if step == .messages { members["search"] = .string(search.text) }
    return [
      .expect(frames: asking.servedMax, bytes: PageReader.pageBytesMax),
      .send(ClientMessage.request(name, [.object(members)])), .setTimer(.answerSearch, after: limits.readTimeout),
    ]
  }

  private func found(_ step: Step) -> Set<String> { if case .marks(let found) = step { found } else { [] } }

  // MARK: - Answers

  /// Handles an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent) -> Found? {
    guard let asking, asking.served < asking.servedMax else { return nil }
    self.asking?.served += 1
    guard asking.filter.matches(event), !asking.found.contains(event.id), (try? event.verify()) != nil else { return nil }
    self.asking?.found.insert(event.id)
    switch asking.step {
    case .messages: return .said(event)
    case .marks(let about):
      return .mark(event, Dictionary(about.map { ($0, asking.search.channel) }) { first, _ in first })
    }
  }

  /// Handles the end of the stored events.
  mutating func served() -> (over: Over?, actions: [FollowerMachine.Action]) {
    guard let asking else { return (nil, []) }
    let actions = close()
    guard asking.step == .messages, !asking.found.isEmpty else {
      return (Over(search: asking.search, outcome: .complete), actions)
    }
    next = (asking.search, asking.channel, asking.found)
    return (nil, actions)
  }

  /// Handles a REQ that the relay ended.
  mutating func closed(_ text: String) -> Over? {
    guard let asking else { return nil }
    self.asking = nil
    let trouble = ClosedRequest(text).trouble
    // The messages are there: a relay that shows no reactions never will.
    let isEnough = asking.step != .messages && !trouble.cause.mayPass
    return Over(search: asking.search, outcome: isEnough ? .complete : .failed(trouble))
  }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut(_ trouble: Trouble) -> (over: Over?, actions: [FollowerMachine.Action]) {
    guard let asking else { return (nil, []) }
    return (Over(search: asking.search, outcome: .failed(trouble)), close())
  }

  /// Forgets a channel that is no longer followed.
  mutating func remove(_ channel: ChannelID) -> [FollowerMachine.Action] {
    waiting.removeAll { $0.channel == channel }
    if next?.search.channel == channel { next = nil }
    return asking?.search.channel == channel ? close() : []
  }

  /// Gives up the question that is under way, because the connection is gone.
  mutating func interrupt() -> [RelaySearch] {
    let search = asking?.search ?? next?.search
    (asking, next) = (nil, nil)
    return search.map { [$0] } ?? []
  }

  /// Gives up all questions.
  mutating func giveUp() -> [RelaySearch] {
    let all = interrupt() + waiting
    waiting = []
    return all
  }

  private mutating func close() -> [FollowerMachine.Action] {
    guard let name = asking?.name else { return [] }
    asking = nil
    return [.cancelTimer(.answerSearch), .send(ClientMessage.close(name))]
  }
}

extension ChannelReading {
  /// The filter of a search.
  /// - Parameter about: the messages whose deletions and reactions are asked for, or `nil` for messages.
  fileprivate static func filter(of channel: ChannelReading, _ about: Set<String>?) -> HistoryFilter {
    let name = channel.kind == .group ? "h" : "e"
    guard let about else {
      let kind = channel.kind == .group ? NostrPost.groupMessageKind : NostrPost.channelMessageKind
      return HistoryFilter(kinds: [kind], tags: [name: [channel.networkID]])
    }
    guard channel.kind == .group else {
      return HistoryFilter(kinds: [NostrPost.deletionKind, NostrPost.reactionKind], tags: ["e": about])
    }
    return HistoryFilter(
      kinds: [NostrPost.deletionKind, NostrPost.reactionKind, NostrPost.adminDeletionKind],
      tags: ["e": about, "h": [channel.networkID]])
  }
}
