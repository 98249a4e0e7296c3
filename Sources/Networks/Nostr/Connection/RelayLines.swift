internal import Dialing
internal import NIOCore

/// The events on a session's line, in order; nothing follows `violated`, `flooded` and `closed`.
enum LineEvent: Hashable, Sendable {
  /// A message; `nil` if it is not JSON.
  case message(RelayMessage?)
  case violated(String)
  case flooded(String)
  /// The end of the connection, as in `WebSocketInbound`.
  case closed(code: Int?, reason: String)
}

/// The connections to one relay. Each session gets its own, so that who reads stays anonymous and no session waits for another. Only
/// where the relay does not take another beside one that is open do sessions share that one: then who reads is known where who
/// publishes had to say who they are.
///
/// Sessions can share, because what is meant for one means nothing to the others: OK and AUTH are for those who publish, the rest goes by
/// the names of requests.
final class RelayLines: Sendable {
  let url: RelayURL
  let eventLoop: any EventLoop
  private let exchange: NIOLoopBoundBox<Exchange>

  /// - Parameters:
  ///   - eventLoop: the event loop of all sessions with the relay.
  ///   - unreadable: takes how many messages came that cannot be used, on the event loop, a few times a second at most.
  init(
    url: RelayURL, dialer: RelayDialer, eventLoop: any EventLoop, unreadable: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.url = url
    self.eventLoop = eventLoop
    exchange = .makeBoxSendingValue(
      Exchange(url: url, dialer: dialer, eventLoop: eventLoop, unreadable: unreadable), eventLoop: eventLoop)
  }

  /// Opens a line. It must be called on the event loop, like everything here.
  /// - Parameters:
  ///   - hear: takes what comes in.
  ///   - then: takes the line, or why there is none.
  func open(_ hear: @escaping (LineEvent) -> Void, then: @escaping (Result<End, DialFailure>) -> Void) {
    exchange.value.open(hear, then)
  }

  /// One session's end of a line.
  struct End {
    fileprivate let exchange: Exchange
    fileprivate let line: Line
    fileprivate let user: Int

    func send(_ text: String) { line.connection?.send(text) }
    /// Lets the relay send so much more than it may without having been asked.
    func expect(frames: Int, bytes: Int) { line.connection?.expect(frames: frames, bytes: bytes) }
    /// The connection ends with the last session that uses it.
    func hangUp() { exchange.leave(line, user) }
    /// Ends the connection at once, for all sessions that use it: what was sent and has not arrived never does.
    func cut() { exchange.cut(line, user) }
  }

  fileprivate final class Line {
    var connection: RelayDialer.Connection?
    var users: [Int: (LineEvent) -> Void] = [:]
    /// The challenge. Relays send it once per connection; sessions that join later need it too.
    var challenge: String?
    /// Whether the relay has said more than its challenge and notices. Some accept one connection too many and close it at once.
    var isUsed = false
  }

  fileprivate final class Exchange {
    private let url: RelayURL
    private let dialer: RelayDialer
    private let eventLoop: any EventLoop
    private var lines: [Line] = []
    private var userCount = 0
    /// The relay did not take another line beside the one that is open.
    private var isOnlyOne = false
    private let unreadable: @Sendable (Int) -> Void
    /// The number of messages that cannot be used and were not told of yet.
    private var unreadableCount = 0
    private var tellsLater = false

    init(url: RelayURL, dialer: RelayDialer, eventLoop: any EventLoop, unreadable: @escaping @Sendable (Int) -> Void) {
      self.url = url
      self.dialer = dialer
      self.eventLoop = eventLoop
      self.unreadable = unreadable
    }

    func open(_ hear: @escaping (LineEvent) -> Void, _ then: @escaping (Result<End, DialFailure>) -> Void) {
      if isOnlyOne, let line = lines.first {
        let bound = NIOLoopBound((exchange: self, line: line, hear: hear, then: then), eventLoop: eventLoop)
        return eventLoop.execute {
          let (exchange, line, hear, then) = bound.value
          // The line may have gone in the meantime.
          if exchange.lines.contains(where: { $0 === line }) {
            exchange.join(line, hear, then)
          } else {
            exchange.dial(hear, then)
          }
        }
      }
      dial(hear, then)
    }

    private func dial(_ hear: @escaping (LineEvent) -> Void, _ then: @escaping (Result<End, DialFailure>) -> Void) {
      let line = Line()
      let bound = NIOLoopBound((exchange: self, line: line, hear: hear, then: then), eventLoop: eventLoop)
      dialer.dial(url, on: eventLoop) { inbound in
        let (exchange, line, _, _) = bound.value
        exchange.take(inbound, from: line)
      }
      .whenComplete { result in
        let (exchange, line, hear, then) = bound.value
        switch result {
        case .success(let connection):
          line.connection = connection
          exchange.lines.append(line)
          exchange.join(line, hear, then)
        case .failure(let error):
          let failure = error as? DialFailure ?? .unreachable("\(error)")
          guard failure.mayBeOneTooMany, let other = exchange.lines.first else { return then(.failure(failure)) }
          exchange.isOnlyOne = true
          exchange.join(other, hear, then)
        }
      }
    }

    private func join(
      _ line: Line, _ hear: @escaping (LineEvent) -> Void, _ then: @escaping (Result<End, DialFailure>) -> Void
    ) {
      userCount += 1
      line.users[userCount] = hear
      let user = userCount
      then(.success(End(exchange: self, line: line, user: user)))
      if let challenge = line.challenge { line.users[user]?(.message(.challenge(challenge))) }
    }

    func leave(_ line: Line, _ user: Int) {
      guard line.users.removeValue(forKey: user) != nil, line.users.isEmpty else { return }
      remove(line)
      line.connection?.hangUp()
    }

    func cut(_ line: Line, _ user: Int) {
      guard line.users.removeValue(forKey: user) != nil else { return }
      // It does not end because it was one too many.
      line.isUsed = true
      remove(line)
      line.connection?.cut()
    }

    private func take(_ inbound: WebSocketInbound, from line: Line) {
      switch inbound {
      case .message(let buffer):
        let message = RelayMessage(buffer.readableBytesView, bytesMax: dialer.limits.messageBytesMax)
        switch message {
        case .challenge(let text)?: line.challenge = text
        case .notice?: break
        case .unreadable?:
          line.isUsed = true
          unreadableCount += 1
          tellUnreadable()
        default: line.isUsed = true
        }
        tell(.message(message), to: line)
      case .violated(let text):
        remove(line)
        tell(.violated(text), to: line)
      case .flooded(let text):
        remove(line)
        tell(.flooded(text), to: line)
      case .closed(let code, let reason):
        remove(line)
        guard !line.isUsed, !lines.isEmpty else { return tell(.closed(code: code, reason: reason), to: line) }
        // This does not refuse what was sent on it: that goes over the other line the next time.
        isOnlyOne = true
        let words = [code.map(String.init) ?? "", reason].filter { !$0.isEmpty }.joined(separator: " ")
        tell(
          .closed(code: nil, reason: "the relay closed a second connection at once\(words.isEmpty ? "" : " (\(words))")"),
          to: line)
      }
    }

    /// The first is told of at once; what follows within a tenth of a second, together.
    private func tellUnreadable() {
      guard unreadableCount > 0, !tellsLater else { return }
      unreadable(unreadableCount)
      (unreadableCount, tellsLater) = (0, true)
      let bound = NIOLoopBound(self, eventLoop: eventLoop)
      eventLoop.scheduleTask(in: .milliseconds(100)) {
        bound.value.tellsLater = false
        bound.value.tellUnreadable()
      }
    }

    private func tell(_ event: LineEvent, to line: Line) {
      // A session that is told may leave, or make others leave.
      for user in line.users.keys.sorted() { line.users[user]?(event) }
    }

    private func remove(_ line: Line) {
      lines.removeAll { $0 === line }
      // Nothing is known about the next line: perhaps the relay has room again.
      if lines.isEmpty { isOnlyOne = false }
    }
  }
}

extension DialFailure {
  /// Whether a relay that has one connection of ours already may mean that it takes no more.
  fileprivate var mayBeOneTooMany: Bool {
    switch self {
    case .unreachable: true
    case .status(let status, _, _): status >= 400
    case .insecure, .notARelay: false
    }
  }
}
