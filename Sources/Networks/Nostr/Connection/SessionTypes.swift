internal import Channels
internal import RelayNetwork

/// One event that is to be published.
enum OutgoingEvent: Hashable, Sendable {
  /// Signed once, the same bytes each time.
  case signed(id: String, text: String)
  /// Signed each time it is sent: relays that keep groups take what is fresh only.
  case draft(kind: Int, tags: [[String]], content: String)
  /// Signed, and nice to have: whatever becomes of it, the operation goes on as if the relay had taken it. Comes after all others.
  case extra(id: String, text: String)

  init(_ event: NostrEvent) { self = .signed(id: event.id, text: event.text) }

  init(extra event: NostrEvent) { self = .extra(id: event.id, text: event.text) }

  var isExtra: Bool { if case .extra = self { true } else { false } }
}

/// One operation in the form in which a session carries it out.
struct SessionOperation: Hashable, Sendable {
  let operation: RelayOperation
  /// What is published, one after the other, each when the one before was taken. Not used by readers.
  let events: [OutgoingEvent]
  /// The public key of the channel's identity.
  let owner: String

  init(operation: RelayOperation, events: [OutgoingEvent] = [], owner: String = "") {
    self.operation = operation
    self.events = events
    self.owner = owner
  }

  /// Whether its events are signed when they are sent.
  var isDraft: Bool { events.contains { if case .draft = $0 { true } else { false } } }

  var isDeletionOfGroup: Bool { operation.task == .withdraw && operation.content.kind == .group }

  /// How many of the events the relay must take.
  var neededCount: Int { events.count { !$0.isExtra } }
}

/// What can happen to a session with a relay.
enum SessionEvent: Hashable, Sendable {
  case submitted(SessionOperation)
  /// Invitations of this channel that still wait must not be sent.
  case cancelled(ChannelID)
  /// Whether the relay is to be watched: connected whenever possible, ups and downs reported.
  case watched(Bool)
  case opened(roundTrip: Duration)
  case dialFailed(DialFailure)
  /// A message; nil when it is none that Nostr knows.
  case received(RelayMessage?)
  /// Something that a WebSocket peer must not send; the connection is gone.
  case violated(String)
  /// More than the relay was asked for; the connection is gone.
  case flooded(String)
  /// As in `WebSocketInbound`: without a code, the reason is a sentence of ours.
  case closed(code: Int?, reason: String)
  case timerFired(SessionTimer)
  /// A draft was signed and sent; nil: it could not be signed.
  case published(id: String?)
  /// The AUTH event for the latest challenge was sent.
  case authenticationSent(id: String)
}

enum SessionTimer: Hashable, Sendable, CaseIterable {
  /// The first EVENT that is not answered, or the present REQ, must be answered.
  case answer
  /// What the EVENT brought must be found that was not answered.
  case readBack
  /// AUTH must be answered, or a challenge must come.
  case authentication
  case reconnect
  case idle
  /// The connection has lasted: back-off begins anew after it.
  case stable
  /// Time to ask for what has gathered.
  case gather
  /// The next EVENT may follow.
  case pace
}

/// What the driver of a session must do, in order.
enum SessionAction: Hashable, Sendable {
  case dial
  case hangUp
  case send(String)
  /// Sign and send, then feed `published`.
  case publish(kind: Int, tags: [[String]], content: String)
  /// Sign and send AUTH for this challenge, then feed `authenticationSent`: as the identity, or as the author of this channel.
  case authenticate(challenge: String, author: ChannelContent? = nil)
  case setTimer(SessionTimer, after: Duration)
  case cancelTimer(SessionTimer)
  case report(NetworkReport)
  /// Report that an operation was not begun, for this reason, and that it may come back when `reconnect` fires.
  case postpone(SessionOperation, Trouble)
}

/// Why no WebSocket connection came about.
enum DialFailure: Error, Hashable, Sendable {
  /// Name, network or time.
  case unreachable(String)
  /// TLS: whoever answers is not known to be the relay.
  case insecure(Trouble)
  /// The server answered with another HTTP status than 101.
  /// - location: where it points to.
  case status(Int, retryAfter: Duration?, location: String? = nil)
  /// The server does not speak HTTP or WebSocket.
  case notARelay(String)

  /// The outcome for an operation that needed the connection.
  var outcome: RelayOutcome {
    switch self {
    case .unreachable(let text): return .troubled(Trouble(.unreachable, text), retryAfter: nil)
    // Certificates are mended, so it is worth another attempt.
    case .insecure(let trouble): return .troubled(trouble, retryAfter: nil)
    case .notARelay(let text): return .misbehaved(Trouble(.protocol, text))
    case .status(let status, let retryAfter, let location):
      switch status {
      case 300...399:
        // Who serves a channel is for people to decide, so nothing is followed.
        let place = location.map { " and points to \($0); add the relay with that address" } ?? ""
        return .misbehaved(Trouble(.protocol, "the relay is elsewhere: the server answered HTTP status \(status)\(place)"))
      case 402: return .refused(Trouble(.rejected, "the relay wants to be paid: the server answered HTTP status 402"))
      case 401, 403: return .refused(Trouble(.rejected, "the server refused the connection with HTTP status \(status)"))
      case 429, 503:
        let time = retryAfter.map { " and wants to be left alone for \($0.components.seconds) s" } ?? ""
        return .troubled(
          Trouble(.rateLimited, "the server answered HTTP status \(status)\(time)"),
          retryAfter: max(retryAfter ?? .zero, .seconds(30)))
      case 500...599:
        return .troubled(Trouble(.unreachable, "the server answered HTTP status \(status)"), retryAfter: retryAfter)
      default:
        return .misbehaved(
          Trouble(.protocol, "the server answered HTTP status \(status) instead of opening a WebSocket; it is not a relay"))
      }
    }
  }

  /// How long the relay wants to be left alone.
  var retryAfter: Duration {
    if case .troubled(_, let wait?) = outcome { wait } else { .zero }
  }

  /// What is wrong with the relay as a whole.
  var trouble: Trouble {
    switch outcome {
    case .troubled(let trouble, _), .misbehaved(let trouble), .refused(let trouble): trouble
    case .handedOver, .accepted, .verified, .missing, .withdrawn, .announced: Trouble(.unreachable, "")
    }
  }
}

/// A machine that drives one connection to one relay.
protocol SessionMachine: Sendable {
  mutating func handle(_ event: SessionEvent) -> [SessionAction]
}

extension SessionMachine {
  /// How the connection ended, for people.
  static func ending(_ code: Int?, _ reason: String) -> String {
    switch code {
    case let code?: "the relay closed the connection (\(code)\(reason.isEmpty ? "" : " \(reason)"))"
    case nil: reason.isEmpty ? "the relay closed the connection" : reason
    }
  }
}

/// Limits and timers of sessions.
public struct NostrLimits: Hashable, Sendable {
  /// Name, TCP, TLS and WebSocket handshake together.
  public var dialTimeout: Duration = .seconds(10)
  /// Wait for the NIP-11 documents of the relays of a channel that is to be created.
  public var informationTimeout: Duration = .seconds(3)
  /// Wait for the OK to an EVENT.
  public var publishTimeout: Duration = .seconds(15)
  /// Wait for the OK to an EVENT that the operation does not depend on.
  public var extraTimeout: Duration = .seconds(5)
  /// The same at relays that never answer an EVENT, though they serve it.
  public var mutePublishTimeout: Duration = .seconds(2)
  /// Wait for what an EVENT brought that was not answered.
  public var readBackTimeout: Duration = .seconds(5)
  /// Wait for the EOSE to a REQ.
  public var readTimeout: Duration = .seconds(15)
  /// Wait for the OK to AUTH, or for a challenge.
  public var authenticationTimeout: Duration = .seconds(5)
  /// Ping after this long without a byte.
  public var pingInterval: Duration = .seconds(25)
  /// Dead after this long without a byte.
  public var silenceMax: Duration = .seconds(90)
  /// A connection without work that nobody watches is closed after this long.
  public var idleTimeout: Duration = .seconds(60)
  /// A connection that held this long counts as good; redialling begins anew after it.
  public var stableAfter: Duration = .seconds(30)
  /// Wait before the second dial; doubles with each further failure.
  public var redialFirst: Duration = .seconds(1)
  /// Longest wait between dials while operations wait for the connection.
  public var redialMaxBusy: Duration = .seconds(15)
  /// Longest wait between dials of a relay that is only watched.
  public var redialMaxWatched: Duration = .seconds(300)
  /// Largest message taken from a relay, in bytes.
  public var messageBytesMax = 1 << 20
  /// Operations that may wait for one connection.
  public var queueMax = 1024
  /// Channels asked for in one REQ.
  public var readBatchMax = 64
  /// While many channels come to be read, how long one REQ waits for company; a lone one does not wait.
  public var gatherTime: Duration = .milliseconds(50)
  /// Frames that a relay may send at once without having been asked for them.
  public var unaskedMax = 1_000
  /// How many more of them are allowed every second.
  public var unaskedPerSecond = 20
  /// How long a relay that sent more is left alone the first time; doubles with each further one.
  public var floodWaitFirst: Duration = .seconds(60)
  public var floodWaitMax: Duration = .seconds(900)
  /// Messages that are not Nostr before a relay counts as broken.
  public var rubbishMax = 3
  /// When a relay wants to be left alone for longer, what waits for the connection is told to come back then.
  public var holdMax: Duration = .seconds(45)

  public init() {}
}
