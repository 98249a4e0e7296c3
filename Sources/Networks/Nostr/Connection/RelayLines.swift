internal import Channels
internal import Dialing
internal import NIOCore

/// The events on a session's line, in order. Nothing follows `violated`, `flooded` and `closed`.
enum LineEvent: Hashable, Sendable {
  /// A message, or `nil` if it is not JSON.
  case message(RelayMessage?)
  case violated(String)
  case flooded(String)
  /// The end of the connection, as in `WebSocketInbound`.
  case closed(code: Int?, reason: String)
}

/// The connections to one relay. Each session gets its own, so that readers remain anonymous and no session waits for another. Sessions
/// share an open connection only where the relay does not accept a second one: it refuses, closes or ignores the second, or closes the
/// first. Readers remain anonymous there too: no session identifies itself over a connection with readers, and no one reads over a
/// connection where a session identified itself.
///
/// Sessions can share, because messages for one mean nothing to the others: OK and AUTH are for publishers, and the rest goes by the names
/// of requests.
final class RelayLines: Sendable {
  let url: RelayURL
  let eventLoop: any EventLoop
  private let exchange: NIOLoopBoundBox<Exchange>

  /// - Parameters:
  ///   - eventLoop: the event loop of all sessions with the relay.
  ///   - unreadable: gets the number of unusable messages that came, on the event loop, a few times a second at most.
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
  ///   - isAnonymous: whether the relay must not know who uses the line.
  ///   - hear: gets the incoming events.
  ///   - then: gets the line, or the failure to open one.
  func open(
    isAnonymous: Bool, _ hear: @escaping (LineEvent) -> Void, then: @escaping (Result<End, DialFailure>) -> Void
  ) {
    exchange.value.open(User(isAnonymous: isAnonymous, hear: hear, then: then))
  }

  fileprivate struct User {
    let isAnonymous: Bool
    let hear: (LineEvent) -> Void
    let then: (Result<End, DialFailure>) -> Void
  }

  /// One session's end of a line.
  struct End {
    fileprivate let exchange: Exchange
    fileprivate let line: Line
    fileprivate let user: Int

    func send(_ text: String) {
      if line.askedAt == nil { line.askedAt = .now() }
      line.connection?.send(text)
    }
    /// Notes that the session identifies itself to the relay over the line.
    /// - Returns: false if it must not, because other sessions read over the line. Then the next line is separate, if the relay accepts
    ///   another.
    func identify() -> Bool { exchange.identify(line) }
    /// Lets the relay send so much more than it may without having been asked.
    func expect(frames: Int, bytes: Int) { line.connection?.expect(frames: frames, bytes: bytes) }
    /// The connection ends with the last session that uses it.
    func hangUp() { exchange.leave(line, user) }
    /// Cuts the connection for all sessions that use it: data that has not arrived yet never does.
    func cut() { exchange.cut(line, user) }
  }

  fileprivate final class Line {
    var connection: RelayDialer.Connection?
    /// When it was dialled, and then when it opened.
    var since = NIODeadline.now()
    var users: [Int: User] = [:]
    /// When something was sent over it for the first time.
    var askedAt: NIODeadline?
    /// Whether a session identified itself to the relay over it.
    var isIdentified = false
    var isOver = false
    /// The challenge. Relays send it once per connection, and sessions that join later need it too.
    var challenge: String?
    /// Whether the relay has sent more than its challenge and notices. Some accept one connection too many and close it immediately.
    var isUsed = false
  }

  fileprivate final class Exchange {
    private let url: RelayURL
    private let dialer: RelayDialer
    private let eventLoop: any EventLoop
    private var lines: [Line] = []
    private var userCount = 0
    /// The line that was dialled last, until it ends.
    private var latest: Line?
    /// The relay did not accept another line in addition to the open one.
    private var isOnlyOne = false
    /// How often the relay closed a line when another opened.
    private var displacements = 0
    private let unreadable: @Sendable (Int) -> Void
    /// The number of unusable messages that were not reported yet.
    private var unreadableCount = 0
    private var tellsLater = false

    init(url: RelayURL, dialer: RelayDialer, eventLoop: any EventLoop, unreadable: @escaping @Sendable (Int) -> Void) {
      self.url = url
      self.dialer = dialer
      self.eventLoop = eventLoop
      self.unreadable = unreadable
    }

    func open(_ user: User) {
      guard isOnlyOne else { return dial(user) }
      let bound = NIOLoopBound((exchange: self, user: user), eventLoop: eventLoop)
      eventLoop.execute {
        let (exchange, user) = bound.value
        if let line = exchange.shared(by: user) { exchange.join(line, user) } else { exchange.dial(user) }
      }
    }

    /// The line that a session may share.
    private func shared(by user: User) -> Line? { lines.first { !isIgnored($0) && !(user.isAnonymous && $0.isIdentified) } }

    private func dial(_ user: User) {
      let line = Line()
      latest = line
      let bound = NIOLoopBound((exchange: self, line: line, user: user), eventLoop: eventLoop)
      dialer.dial(url, on: eventLoop) { inbound in
        let (exchange, line, _) = bound.value
        exchange.take(inbound, from: line)
      }
      .whenComplete { result in
        let (exchange, line, user) = bound.value
        switch result {
        case .success(let connection):
          (line.connection, line.since) = (connection, .now())
          exchange.lines.append(line)
          exchange.join(line, user)
        case .failure(let error):
          exchange.remove(line)
          let failure = error as? DialFailure ?? .unreachable("\(error)")
          guard failure.mayBeOneTooMany, let other = exchange.shared(by: user) else { return user.then(.failure(failure)) }
          exchange.isOnlyOne = true
          exchange.join(other, user)
        }
      }
    }

    private func join(_ line: Line, _ user: User) {
      userCount += 1
      line.users[userCount] = user
      let number = userCount
      user.then(.success(End(exchange: self, line: line, user: number)))
      if let challenge = line.challenge { line.users[number]?.hear(.message(.challenge(challenge))) }
    }

    func identify(_ line: Line) -> Bool {
      guard !line.users.values.contains(where: \.isAnonymous) else {
        // The relay may accept another by now, or never have refused it for that reason.
        isOnlyOne = false
        return false
      }
      line.isIdentified = true
      return true
    }

    func leave(_ line: Line, _ user: Int) {
      guard line.users.removeValue(forKey: user) != nil else { return }
      let isIgnored = isIgnored(line)
      guard line.users.isEmpty || isIgnored else { return }
      remove(line)
      // It is one too many, unless the relay answers nothing at all.
      if isIgnored, lines.contains(where: { !self.isIgnored($0) }) { isOnlyOne = true }
      line.connection?.hangUp()
      tell(.closed(code: nil, reason: "the relay answers nothing on the connection"), to: line)
    }

    /// Whether the relay has never answered on a line, for so long that it should have.
    private func isIgnored(_ line: Line) -> Bool {
      guard !line.isUsed, let askedAt = line.askedAt else { return false }
      let patience = min(dialer.limits.readTimeout, dialer.limits.publishTimeout)
      return NIODeadline.now() - askedAt >= .milliseconds(patience.wholeMilliseconds)
    }

    func cut(_ line: Line, _ user: Int) {
      guard line.users.removeValue(forKey: user) != nil else { return }
      remove(line)
      line.connection?.cut()
      tell(.closed(code: nil, reason: "the connection was cut"), to: line)
    }

    private func take(_ inbound: WebSocketInbound, from line: Line) {
      guard !line.isOver else { return }
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
        guard !line.isUsed, !lines.isEmpty else {
          noteDisplacement()
          return tell(.closed(code: code, reason: reason), to: line)
        }
        // This does not refuse the messages that were sent on it: they go over the other line the next time.
        isOnlyOne = true
        let words = [code.map(String.init) ?? "", reason].filter { !$0.isEmpty }.joined(separator: " ")
        tell(
          .closed(code: nil, reason: "the relay closed a second connection immediately\(words.isEmpty ? "" : " (\(words))")"),
          to: line)
      }
    }

    /// The first is reported immediately, and the rest within a tenth of a second together.
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
      // A session that gets the event may leave, or make others leave.
      for user in line.users.keys.sorted() { line.users[user]?.hear(event) }
    }

    /// Notes that the relay closed a line that it had used. A relay that keeps only the newest line does that each time that another opens.
    /// Once may be chance.
    private func noteDisplacement() {
      guard let latest, NIODeadline.now() - latest.since < .seconds(2) else { return }
      displacements += 1
      if displacements > 1 { isOnlyOne = true }
    }

    private func remove(_ line: Line) {
      line.isOver = true
      lines.removeAll { $0 === line }
      if latest === line { latest = nil }
      // Nothing is known about the next line: perhaps the relay has room again.
      if lines.isEmpty, latest == nil { (isOnlyOne, displacements) = (false, 0) }
    }
  }
}

extension DialFailure {
  /// Whether a relay that already has one of our connections may mean that it accepts no other.
  fileprivate var mayBeOneTooMany: Bool {
    switch self {
    case .unreachable: true
    case .status(let status, _, _): status >= 400
    case .insecure, .notARelay: false
    }
  }
}
