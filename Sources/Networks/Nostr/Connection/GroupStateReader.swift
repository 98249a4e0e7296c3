internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// Reads back the state of groups at one relay, one group after the other: pinned posts and members. It is a part of `ReaderMachine`, like
/// `PostReader`.
struct GroupStateReader: Sendable {
  /// The data that a relay serves for one group.
  private enum Served {
    case pins(PinnedPostsReading)
    case lists(GroupListsReading)

    init(_ item: SessionOperation) {
      self = item.pin == nil ? .lists(GroupListsReading(of: item.content)) : .pins(PinnedPostsReading(of: item.content))
    }

    var filter: JSONValue {
      switch self {
      case .pins(let reading): reading.filter
      case .lists(let reading): reading.filter
      }
    }

    mutating func take(_ event: NostrEvent) {
      switch self {
      case .pins(var reading):
        reading.take(event)
        self = .pins(reading)
      case .lists(var reading):
        reading.take(event)
        self = .lists(reading)
      }
    }

    /// The report for one of the operations that asked.
    func report(_ item: SessionOperation, _ operation: DeliveryOperation) -> NetworkReport? {
      switch self {
      case .pins(let reading): item.pin?.report(reading.answer, for: operation)
      case .lists(let reading): item.membership?.report(reading.answer, for: operation)
      }
    }
  }

  private let limits: NostrLimits
  private let prefix: String
  private var queue: [SessionOperation] = []
  /// The operations that the REQ under way answers. Later operations wait for the next REQ, which shows the changes that were sent since.
  private var open: [SessionOperation] = []
  private var reading: (name: String, served: Served)?
  private var subscriptionNumber = 0

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  /// The number of operations that wait for a REQ.
  var count: Int { queue.count }
  var hasWaiting: Bool { !queue.isEmpty }
  var isIdle: Bool { queue.isEmpty && reading == nil }

  /// Whether the REQ under way has this name.
  func asks(_ name: String) -> Bool { name == reading?.name }

  /// - Parameter item: about a pin, or about who belongs to a group.
  mutating func add(_ item: SessionOperation) { queue.append(item) }

  /// Asks for the state of the group that waits first, unless a REQ is under way. The connection must be open.
  mutating func askNext() -> [ReaderMachine.Action] {
    guard reading == nil, let first = queue.first else { return [] }
    let group = first.content
    func isSame(_ item: SessionOperation) -> Bool {
      (item.content.networkID, item.content.trustAnchor) == (group.networkID, group.trustAnchor)
        && (item.pin == nil) == (first.pin == nil)
    }
    open = queue.filter(isSame)
    queue.removeAll(where: isSame)
    subscriptionNumber += 1
    let (name, served) = ("\(prefix)l\(subscriptionNumber)", Served(first))
    reading = (name, served)
    return [
      .cancelTimer(.idle), .send(ClientMessage.request(name, [served.filter])),
      .setTimer(.answerPins, after: limits.readTimeout),
    ]
  }

  // MARK: - Answers

  /// Handles an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent) { reading?.served.take(event) }

  /// Handles the end of the relay's events.
  mutating func served() -> [ReaderMachine.Action] {
    guard let reading else { return [] }
    return [.send(ClientMessage.close(reading.name))] + finish { reading.served.report($0, $1) }
  }

  /// Handles a REQ that the relay ended.
  mutating func closed(_ text: String) -> [ReaderMachine.Action] { end(DeliveryOutcome(ClosedRequest(text).outcome)) }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut(_ trouble: Trouble) -> [ReaderMachine.Action] {
    guard let reading else { return [] }
    return [.send(ClientMessage.close(reading.name))] + end(.troubled(trouble, retryAfter: nil))
  }

  /// Ends the REQ under way.
  mutating func end(_ outcome: DeliveryOutcome) -> [ReaderMachine.Action] {
    finish { _, operation in operation.report(outcome) }
  }

  /// Ends the REQ under way, and everything that waits.
  mutating func endAll(_ outcome: DeliveryOutcome) -> [ReaderMachine.Action] {
    let waiting = queue.compactMap(\.delivery)
    queue = []
    return end(outcome) + waiting.map { .report($0.report(outcome)) }
  }

  private mutating func finish(_ report: (SessionOperation, DeliveryOperation) -> NetworkReport?) -> [ReaderMachine.Action] {
    guard reading != nil else { return [] }
    let ended = open
    (reading, open) = (nil, [])
    return [.cancelTimer(.answerPins)]
      + ended.compactMap { item in
        item.delivery.flatMap { report(item, $0) }.map(ReaderMachine.Action.report)
      }
  }
}
