internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Reads posts back from one relay, as an anonymous reader would. It is a part of `ReaderMachine`, which has the connection, and asks in
/// parallel with that machine's requests about channels.
struct PostReader: Sendable {
  /// The bytes of the posts that one REQ asks for. A REQ gives a relay credit (`WebSocketAllowance`) for its ids only, which large posts
  /// would exceed.
  static let batchBytesMax = 512 << 10

  private let limits: NostrLimits
  private let prefix: String
  private var queue: Deque<WantedPost> = []
  /// Posts that are asked for one by one, because a REQ for several did not bring them, or the relay refused it.
  private var alone: Deque<WantedPost> = []
  /// The posts that the REQ under way asks for and has not brought yet.
  private var open: [WantedPost] = []
  private var subscription: String?
  private var subscriptionNumber = 0
  /// Whether the REQ under way asks for one post only, and its ids.
  private var isForOne = false
  private var asked: [String] = []
  /// The ids of that post that are asked for one by one, because the relay does not accept all in one REQ, the best last.
  private var rest: [String] = []
  /// The number of ids that one REQ may have.
  private var size: RequestSize
  /// The number of operations that the latest REQ answered: after several, the next one waits for company.
  private var latestBatch = 0
  private var isGathering = false
  /// The number of REQs in a row to which the relay did not answer.
  private(set) var timeoutsInARow = 0

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
    size = RequestSize(most: limits.readBatchMax)
  }

  /// The number of operations that wait for a REQ.
  var count: Int { queue.count + alone.count }
  var hasWaiting: Bool { count > 0 }
  var isIdle: Bool { !hasWaiting && subscription == nil }

  /// Whether the REQ under way has this name.
  func asks(_ name: String) -> Bool { name == subscription }

  /// - Parameter item: about a post. Other operations are left out.
  mutating func add(_ item: SessionOperation) { if let post = WantedPost(item) { queue.append(post) } }

  /// Begins a new connection.
  mutating func opened() {
    (timeoutsInARow, latestBatch, isGathering) = (0, 0, false)
    size.connected()
  }

  /// Notes that the relay answers requests of any kind.
  mutating func heard() { timeoutsInARow = 0 }

  /// Asks for waiting posts, unless a REQ is under way. The connection must be open.
  mutating func askNext() -> [ReaderMachine.Action] {
    guard subscription == nil else { return [] }
    if let next = alone.popFirst() { return ask([next]) }
    guard !queue.isEmpty else { return [] }
    if latestBatch > 1, queue.count < size.most {
      guard !isGathering else { return [] }
      isGathering = true
      return [.cancelTimer(.idle), .setTimer(.gatherPosts, after: limits.gatherTime)]
    }
    return askForBatch()
  }

  /// Asks for the gathered posts.
  mutating func gathered() -> [ReaderMachine.Action] {
    isGathering = false
    return subscription == nil && !queue.isEmpty ? askForBatch() : []
  }

  private mutating func askForBatch() -> [ReaderMachine.Action] {
    isGathering = false
    var batch: [WantedPost] = []
    var (bytes, idCount) = (0, 0)
    while let next = queue.first {
      bytes += next.bytes
      idCount += next.ids.count
      guard batch.isEmpty || bytes <= Self.batchBytesMax && idCount <= size.most else { break }
      batch.append(next)
      queue.removeFirst()
    }
    latestBatch = batch.count
    return ask(batch)
  }

  private mutating func ask(_ posts: [WantedPost]) -> [ReaderMachine.Action] {
    // One post may be asked for under two numbers.
    var known: Set<String> = []
    let ids = posts.flatMap(\.ids).filter { known.insert($0).inserted }
    (open, isForOne, rest) = (posts, Set(posts.map(\.operation.post)).count == 1, [])
    return [.cancelTimer(.idle), .cancelTimer(.gatherPosts)] + request(ids)
  }

  private mutating func request(_ ids: [String]) -> [ReaderMachine.Action] {
    subscriptionNumber += 1
    let name = "\(prefix)p\(subscriptionNumber)"
    (subscription, asked) = (name, ids)
    return [
      .send(ClientMessage.request(name, [["ids": .array(ids.map(JSONValue.string))]])),
      .setTimer(.answerPosts, after: limits.readTimeout),
    ]
  }

  // MARK: - Answers

  /// Handles an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent) -> [ReaderMachine.Action] {
    for index in open.indices { open[index].take(event) }
    let decided = open.filter(\.isDecided)
    open.removeAll(where: \.isDecided)
    return decided.map { .report($0.report(otherwise: .missing)) }
  }

  /// Handles the end of the relay's events. A post that a REQ for several did not bring is asked for once more, alone, before it counts as
  /// missing.
  mutating func served() -> [ReaderMachine.Action] {
    let closing = subscription.map { [ReaderMachine.Action.send(ClientMessage.close($0))] } ?? []
    size.took(asked.count)
    guard isForOne else { return closing + askForTheRestAlone() }
    return closing + (askForNextID() ?? end(.missing))
  }

  /// Handles a REQ that the relay ended. A refused REQ may have been too large. A demand for AUTH holds for each post, and so does a
  /// limited rate.
  mutating func closed(_ text: String) -> [ReaderMachine.Action] {
    let closed = ClosedRequest(text)
    guard asked.count > 1, closed.trouble.cause != .authRequired, closed.trouble.cause != .rateLimited else {
      return end(DeliveryOutcome(closed.outcome))
    }
    return askForLess() ?? end(DeliveryOutcome(closed.outcome))
  }

  /// Handles a REQ that was not answered in time. A REQ for several posts may have been too large, too.
  mutating func timedOut(_ trouble: Trouble) -> [ReaderMachine.Action] {
    guard let subscription else { return [] }
    timeoutsInARow += 1
    let less = asked.count > 1 && timeoutsInARow < 2 ? askForLess() : nil
    return [.send(ClientMessage.close(subscription))] + (less ?? end(.troubled(trouble, retryAfter: nil)))
  }

  /// Ends the REQ under way. Posts that it has not brought get `outcome`.
  mutating func end(_ outcome: DeliveryOutcome) -> [ReaderMachine.Action] {
    guard subscription != nil else { return [] }
    let ended = open
    (subscription, open) = (nil, [])
    return [.cancelTimer(.answerPosts)] + ended.map { .report($0.report(otherwise: outcome)) }
  }

  /// Ends the REQ under way, and everything that waits.
  mutating func endAll(_ outcome: DeliveryOutcome) -> [ReaderMachine.Action] {
    let waiting = Array(alone) + Array(queue)
    (alone, queue) = ([], [])
    return end(outcome) + waiting.map { .report($0.report(otherwise: outcome)) }
  }

  /// Asks for less than a REQ that may have been too large, or returns `nil` if there is nothing to ask for.
  private mutating func askForLess() -> [ReaderMachine.Action]? {
    size.refused(asked.count)
    guard isForOne else { return askForTheRestAlone() }
    rest = asked
    return askForNextID()
  }

  private mutating func askForNextID() -> [ReaderMachine.Action]? {
    guard open.contains(where: { !$0.isFound }), let id = rest.popLast() else { return nil }
    return request([id])
  }

  private mutating func askForTheRestAlone() -> [ReaderMachine.Action] {
    let found = open.filter(\.isFound)
    alone += open.filter { !$0.isFound }
    (subscription, open) = (nil, [])
    return [.cancelTimer(.answerPosts)] + found.map { .report($0.report(otherwise: .missing)) }
  }
}
