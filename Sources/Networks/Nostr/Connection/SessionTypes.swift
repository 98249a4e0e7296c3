internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// An event that must be published.
enum OutgoingEvent: Hashable, Sendable {
  /// An event that was signed once, with the same bytes each time.
  case signed(id: String, text: String)
  /// An event that is signed each time it is sent: relays that keep groups accept only fresh events.
  case draft(kind: Int, tags: [[String]], content: String)
  /// The same, for an event with the same effect as the next one: the relay need accept only one of them.
  case option(kind: Int, tags: [[String]], content: String)
  /// An event that has its date, and is signed each time it is sent: always the same event.
  case dated(DatedEvent)
  /// The list of a group's pinned posts with this change: it is read first, and signed when it is sent.
  case pins(PinChange)
  /// A signed event that is optional: the operation continues in any case as if the relay had accepted it. It follows all others.
  case extra(id: String, text: String)

  init(_ event: NostrEvent) { self = .signed(id: event.id, text: event.text) }

  init(extra event: NostrEvent) { self = .extra(id: event.id, text: event.text) }

  var isExtra: Bool { if case .extra = self { true } else { false } }

  /// The date that the event has before it is sent, in Unix seconds, or `nil` if it gets its date then.
  var date: Int64? {
    switch self {
    case .signed(_, let text), .extra(_, let text): (try? JSONParser.parse(text)).flatMap(EventRemnant.init)?.createdAt
    case .dated(let event): event.createdAt
    case .draft, .option, .pins: nil
    }
  }

  /// Whether the next attempt has another date.
  var isFresh: Bool {
    switch self {
    case .signed, .extra: false
    case .draft, .option, .dated, .pins: true
    }
  }

  var isOption: Bool { if case .option = self { true } else { false } }
}

/// An input of a session with a relay. Every kind of machine has these inputs, and adds its own.
protocol SessionEvent: Hashable, Sendable {
  associatedtype Timer: SessionTimer

  static func opened(roundTrip: Duration) -> Self
  static func dialFailed(_ failure: DialFailure) -> Self
  /// A message, or `nil` if it is not JSON.
  static func received(_ message: RelayMessage?) -> Self
  /// Something that a WebSocket peer must not send. The connection is gone.
  static func violated(_ text: String) -> Self
  /// More than the relay was asked for. The connection is gone.
  static func flooded(_ text: String) -> Self
  /// The end of the connection, as in `WebSocketInbound`: without a code, the reason is Baton's own sentence.
  static func closed(code: Int?, reason: String) -> Self
  static func timerFired(_ timer: Timer) -> Self
}

/// A timer of a session. Every kind of machine has those of `ConnectionKeeper`, and adds its own.
protocol SessionTimer: Hashable, Sendable {
  static var reconnect: Self { get }
  static var idle: Self { get }
  /// The connection has lasted: back-off starts again after it.
  static var stable: Self { get }
}

/// An action that the driver of a session must perform, in order.
enum SessionAction<Machine: SessionMachine>: Hashable, Sendable {
  case dial
  case hangUp
  case send(String)
  /// The relay may send so many frames, with so many bytes, in addition to its usual allowance: the next request asks for them.
  case expect(frames: Int, bytes: Int)
  case setTimer(Machine.Timer, after: Duration)
  case cancelTimer(Machine.Timer)
  case report(NetworkReport)
  /// Report that an operation was not begun, for this reason, and that it may come back when `reconnect` fires.
  case postpone(SessionOperation, Trouble)
  /// An action that no other kind of machine has.
  case own(Machine.OwnAction)
}

/// The reasons why a WebSocket connection could not be opened.
enum DialFailure: Error, Hashable, Sendable {
  /// A failure of the name, the network or the time limit.
  case unreachable(String)
  /// A TLS failure: it is not known that the relay answers.
  case insecure(Trouble)
  /// The server answered with an HTTP status other than 101.
  /// - location: the address to which it points.
  case status(Int, retryAfter: Duration?, location: String? = nil)
  /// The server does not speak HTTP or WebSocket.
  case notARelay(String)

  /// The outcome for an operation that needed the connection.
  var outcome: RelayOutcome {
    switch self {
    case .unreachable(let text): return .troubled(Trouble(.unreachable, text), retryAfter: nil)
    // Certificates get fixed, so it is worth another attempt.
    case .insecure(let trouble): return .troubled(trouble, retryAfter: nil)
    case .notARelay(let text): return .misbehaved(Trouble(.protocol, text))
    case .status(let status, let retryAfter, let location):
      switch status {
      case 300...399:
        // People must decide who serves a channel, so redirects are not followed.
        let place = location.map { " and points to \($0). Add the relay with that address" } ?? ""
        return .misbehaved(Trouble(.protocol, "the relay is elsewhere: the server answered HTTP status \(status)\(place)"))
      case 402: return .refused(Trouble(.rejected, "the relay wants to be paid: the server answered HTTP status 402"))
      case 401, 403: return .refused(Trouble(.rejected, "the server refused the connection with HTTP status \(status)"))
      case 429, 503:
        let time = retryAfter.map { " and asked to retry after \($0.components.seconds) s" } ?? ""
        return .troubled(
          Trouble(.rateLimited, "the server answered HTTP status \(status)\(time)"),
          retryAfter: max(retryAfter ?? .zero, .seconds(30)))
      case 500...599:
        return .troubled(Trouble(.unreachable, "the server answered HTTP status \(status)"), retryAfter: retryAfter)
      default:
        return .misbehaved(
          Trouble(.protocol, "the server answered HTTP status \(status) instead of opening a WebSocket, so it is not a relay"))
      }
    }
  }

  /// The wait that the relay asked for.
  var retryAfter: Duration {
    if case .troubled(_, let wait?) = outcome { wait } else { .zero }
  }

  /// The trouble with the relay as a whole.
  var trouble: Trouble {
    switch outcome {
    case .troubled(let trouble, _), .misbehaved(let trouble), .refused(let trouble): trouble
    case .handedOver, .accepted, .verified, .missing, .withdrawn, .announced: Trouble(.unreachable, "")
    }
  }
}

/// A machine that drives one connection to one relay.
protocol SessionMachine: Sendable {
  associatedtype Event: SessionEvent
  associatedtype OwnAction: Hashable, Sendable
  typealias Timer = Event.Timer

  mutating func handle(_ event: Event) -> [SessionAction<Self>]
}

extension SessionMachine {
  typealias Action = SessionAction<Self>

  /// Returns a description, for people, of how the connection ended.
  static func ending(_ code: Int?, _ reason: String) -> String {
    switch code {
    case let code?: "the relay closed the connection (\(code)\(reason.isEmpty ? "" : " \(reason)"))"
    case nil: reason.isEmpty ? "the relay closed the connection" : reason
    }
  }
}

/// Limits and timers of sessions.
public struct NostrLimits: Hashable, Sendable {
  /// The time for name, TCP, TLS and WebSocket handshake together.
  public var dialTimeout: Duration = .seconds(10)
  /// The wait for the NIP-11 documents of the relays of a channel that is being created.
  public var informationTimeout: Duration = .seconds(3)
  /// The wait for the OK to an EVENT.
  public var publishTimeout: Duration = .seconds(15)
  /// The wait for the OK to an EVENT that the operation does not depend on.
  public var extraTimeout: Duration = .seconds(5)
  /// The same at relays that never answer an EVENT, though they serve it.
  public var mutePublishTimeout: Duration = .seconds(2)
  /// The wait for an EVENT that was not answered to be found at the relay.
  public var readBackTimeout: Duration = .seconds(5)
  /// The wait for the EOSE to a REQ.
  public var readTimeout: Duration = .seconds(15)
  /// The wait for the OK to AUTH, or for a challenge.
  public var authenticationTimeout: Duration = .seconds(5)
  /// The time without a byte after which a ping is sent.
  public var pingInterval: Duration = .seconds(25)
  /// The time without a byte after which the connection counts as dead.
  public var silenceMax: Duration = .seconds(90)
  /// The time after which the system gives up a connection on which no sent data arrives, or zero for the system's own time, which may be
  /// many minutes.
  public var unacknowledgedMax: Duration = .zero
  /// A connection without work that no one watches is closed after this long.
  public var idleTimeout: Duration = .seconds(60)
  /// A connection that held this long counts as good, and redialling starts again after it.
  public var stableAfter: Duration = .seconds(30)
  /// The wait before the second dial. It doubles with each further failure.
  public var redialFirst: Duration = .seconds(1)
  /// The longest wait between dials while operations wait for the connection.
  public var redialMaxBusy: Duration = .seconds(15)
  /// The longest wait between dials of a relay that is only watched.
  public var redialMaxWatched: Duration = .seconds(300)
  /// The largest message of a relay whose event is accepted, in bytes.
  public var messageBytesMax = 1 << 20
  /// The number of operations that may wait for one connection.
  public var queueMax = 1024
  /// The number of channels asked for in one REQ.
  public var readBatchMax = 64
  /// While many channels come to be read, how long one REQ waits for company. A lone channel does not wait.
  public var gatherTime: Duration = .milliseconds(50)
  /// The number of frames that a relay may send in one burst without having been asked for them.
  public var unaskedMax = 1_000
  /// The number of further frames that are allowed every second.
  public var unaskedPerSecond = 20
  /// The same two where channels are followed: messages come unasked there.
  public var followedMax = 5_000
  public var followedPerSecond = 200
  /// The age of an event for a group, in seconds, from which it is no longer sent: relays accept only fresh ones, most for 60 s.
  public var staleSeconds: Int64 = 30
  /// The time for which Baton does not dial a relay that sent more, the first time. It doubles each further time.
  public var floodWaitFirst: Duration = .seconds(60)
  public var floodWaitMax: Duration = .seconds(900)
  /// The number of messages that are not JSON before a relay counts as broken.
  public var rubbishMax = 3
  /// The longest time for which operations wait here after a relay asked for a wait. Beyond that, they come back.
  public var holdMax: Duration = .seconds(45)

  public init() {}
}
