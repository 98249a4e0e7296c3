internal import Channels
internal import DequeModule
internal import RelayNetwork

/// A comparison in the form in which a session carries it out.
struct HistoryQuestion: Hashable, Sendable {
  let comparison: PostComparison
  /// In Unix seconds. Posts with later dates are not looked for.
  let until: Int64
  /// The public key that signs the posts.
  let author: String

  /// - Parameter author: `nil` for the key that signs the channel. A group is signed by its relay.
  init(comparison: PostComparison, until: Int64, author: String? = nil) {
    self.comparison = comparison
    self.until = until
    self.author = author ?? comparison.content.trustAnchor
  }

  /// The channel's own posts.
  var filter: HistoryFilter {
    let content = comparison.content
    return switch content.kind {
    case .channel:
      HistoryFilter(authors: [author], kinds: [NostrPost.channelMessageKind], tags: ["e": [content.networkID]])
    case .group:
      HistoryFilter(authors: [author], kinds: [NostrPost.groupMessageKind], tags: ["h": [content.networkID]])
    }
  }

  func report(_ outcome: PostComparisonOutcome) -> NetworkReport {
    .compared(channel: comparison.channel, relay: comparison.relay, number: comparison.number, outcome)
  }
}

/// Pages through channels' own posts at one relay, as an anonymous reader would, one channel at a time. It is a part of `ReaderMachine`,
/// like `PostReader`. A comparison whose connection is lost fails, and its caller must ask again.
struct HistoryReader: Sendable {
  /// The number of comparisons that may wait.
  static let queueMax = 16
  /// The bytes of one page for which a relay gets credit, in addition to the number of its events.
  static let pageBytesMax = 32 << 20
  /// After so many events of a page the relay gets more time for the rest.
  private static let eventsPerTimer = 100

  private let limits: NostrLimits
  private let prefix: String
  private var queue: Deque<HistoryQuestion> = []
  /// The comparison under way.
  private var present: (question: HistoryQuestion, pager: HistoryPager)?
  private var subscription: String?
  private var subscriptionNumber = 0
  /// The number of events that the present page has brought.
  private var eventCount = 0

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  var hasWaiting: Bool { !queue.isEmpty }
  var isIdle: Bool { queue.isEmpty && present == nil }

  /// Whether the REQ under way has this name.
  func asks(_ name: String) -> Bool { name == subscription }

  /// - Returns: a report if too many wait.
  mutating func add(_ question: HistoryQuestion) -> [ReaderMachine.Action] {
    guard queue.count < Self.queueMax else {
      return [.report(question.report(.failed(Trouble(.timeout, "too many comparisons wait for this relay"))))]
    }
    queue.append(question)
    return []
  }

  /// Asks for the next comparison, unless one is under way. The connection must be open.
  mutating func askNext() -> [ReaderMachine.Action] {
    guard present == nil, let next = queue.popFirst() else { return [] }
    var pageLimits = HistoryPager.Limits()
    if next.comparison.depth == .newest { pageLimits.queriesMax = 1 }
    present = (next, HistoryPager(filter: next.filter, window: 0...max(0, next.until), limits: pageLimits))
    return askForPage()
  }

  private mutating func askForPage() -> [ReaderMachine.Action] {
    guard let present, let query = self.present?.pager.next() else { return finish() }
    subscriptionNumber += 1
    let name = "\(prefix)h\(subscriptionNumber)"
    (subscription, eventCount) = (name, 0)
    let filter = present.question.filter.json(query)
    return [
      .cancelTimer(.idle), .expect(frames: query.limit, bytes: Self.pageBytesMax),
      .send(ClientMessage.request(name, [filter])), .setTimer(.answerHistory, after: limits.readTimeout),
    ]
  }

  // MARK: - Answers

  /// Handles an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent) -> [ReaderMachine.Action] {
    present?.pager.take(event, bytes: event.roughBytes)
    return taken()
  }

  /// Handles an unreadable event that came under the name of the REQ.
  mutating func takeUnreadable(createdAt: Int64?, bytes: Int) -> [ReaderMachine.Action] {
    present?.pager.takeUnreadable(createdAt: createdAt, bytes: bytes)
    return taken()
  }

  private mutating func taken() -> [ReaderMachine.Action] {
    eventCount += 1
    if present?.pager.ending != nil { return close() + finish() }
    return eventCount % Self.eventsPerTimer == 0 ? [.setTimer(.answerHistory, after: limits.readTimeout)] : []
  }

  /// Handles the end of a page.
  mutating func served(_ hint: StoredHint?) -> [ReaderMachine.Action] {
    let closing = close()
    present?.pager.endPage(hint)
    return closing + askForPage()
  }

  /// Handles a REQ that the relay ended.
  mutating func closed(_ text: String) -> [ReaderMachine.Action] { end(ClosedRequest(text).trouble) }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut(_ trouble: Trouble) -> [ReaderMachine.Action] { close() + end(trouble) }

  /// Ends the comparison under way, if there is one.
  mutating func end(_ trouble: Trouble) -> [ReaderMachine.Action] {
    guard let ended = present?.question else { return [] }
    (present, subscription) = (nil, nil)
    return [.cancelTimer(.answerHistory), .report(ended.report(.failed(trouble)))]
  }

  /// Ends the comparison under way, and everything that waits.
  mutating func endAll(_ trouble: Trouble) -> [ReaderMachine.Action] {
    let waiting = Array(queue)
    queue = []
    return end(trouble) + waiting.map { .report($0.report(.failed(trouble))) }
  }

  private mutating func close() -> [ReaderMachine.Action] {
    guard let name = subscription else { return [] }
    subscription = nil
    return [.send(ClientMessage.close(name)), .cancelTimer(.answerHistory)]
  }

  /// Reports the posts that were found. If the pager gave up, the report covers the dates after the place where it did.
  private mutating func finish() -> [ReaderMachine.Action] {
    guard let (question, pager) = present else { return [] }
    present = nil
    let served = ServedPosts(
      ids: Set(pager.found.keys), from: Timestamp(seconds: pager.settledFrom),
      until: Timestamp(seconds: pager.window.upperBound),
      unsure: Set(pager.holes.map(Timestamp.init(seconds:))))
    return [.report(question.report(.served(served)))]
  }
}

extension Timestamp {
  /// - Parameter seconds: Unix time in seconds.
  init(seconds: Int64) {
    let (milliseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
    self.init(milliseconds: isTooLarge ? .max : milliseconds)
  }
}

extension NostrEvent {
  /// About the size of the message that brought it.
  var roughBytes: Int {
    512 + content.utf8.count + tags.reduce(0) { sum, tag in tag.reduce(sum) { $0 + $1.utf8.count + 4 } }
  }
}
