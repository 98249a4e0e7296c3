internal import Channels
internal import RelayNetwork

/// Reads back from one relay which posts of groups it shows as pinned, one group after the other. It is a part of `ReaderMachine`, beside
/// `PostReader`.
struct PinReader: Sendable {
  private let limits: NostrLimits
  private let prefix: String
  private var queue: [SessionOperation] = []
  /// The operations that the REQ under way answers. Those that came later wait for the next one, which shows what was sent meanwhile.
  private var open: [SessionOperation] = []
  private var reading: (name: String, served: PinnedPostsReading)?
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

  /// - Parameter item: about a pin.
  mutating func add(_ item: SessionOperation) { queue.append(item) }

  /// Asks for the list of the group that waits first, unless a REQ is under way. The connection must be open.
  mutating func askNext() -> [SessionAction] {
    guard reading == nil, let group = queue.first?.content else { return [] }
    func isSame(_ item: SessionOperation) -> Bool {
      (item.content.networkID, item.content.trustAnchor) == (group.networkID, group.trustAnchor)
    }
    open = queue.filter(isSame)
    queue.removeAll(where: isSame)
    subscriptionNumber += 1
    let (name, served) = ("\(prefix)l\(subscriptionNumber)", PinnedPostsReading(of: group))
    reading = (name, served)
    return [
      .cancelTimer(.idle), .send(ClientMessage.request(name, [served.filter])),
      .setTimer(.answerPins, after: limits.readTimeout),
    ]
  }

  // MARK: - Answers

  /// Takes an event that came under the name of the REQ.
  mutating func take(_ event: NostrEvent) { reading?.served.take(event) }

  /// Handles the end of what the relay has.
  mutating func served() -> [SessionAction] {
    guard let reading else { return [] }
    let answer = reading.served.answer
    return [.send(ClientMessage.close(reading.name))] + finish { pin, operation in pin.report(answer, for: operation) }
  }

  /// Handles a REQ that the relay ended.
  mutating func closed(_ text: String) -> [SessionAction] { end(DeliveryOutcome(ClosedRequest(text).outcome)) }

  /// Handles a REQ that was not answered in time.
  mutating func timedOut(_ trouble: Trouble) -> [SessionAction] {
    guard let reading else { return [] }
    return [.send(ClientMessage.close(reading.name))] + end(.troubled(trouble, retryAfter: nil))
  }

  /// Ends the REQ under way.
  mutating func end(_ outcome: DeliveryOutcome) -> [SessionAction] { finish { _, operation in operation.report(outcome) } }

  /// Ends everything: what is under way and what waits.
  mutating func endAll(_ outcome: DeliveryOutcome) -> [SessionAction] {
    let waiting = queue.compactMap(\.delivery)
    queue = []
    return end(outcome) + waiting.map { .report($0.report(outcome)) }
  }

  private mutating func finish(_ report: (PinForm, DeliveryOperation) -> NetworkReport) -> [SessionAction] {
    guard reading != nil else { return [] }
    let ended = open
    (reading, open) = (nil, [])
    return [.cancelTimer(.answerPins)]
      + ended.compactMap { item in
        guard let pin = item.pin, let operation = item.delivery else { return nil }
        return .report(report(pin, operation))
      }
  }
}
