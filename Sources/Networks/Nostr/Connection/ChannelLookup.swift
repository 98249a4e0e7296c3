internal import Channels
internal import Dialing
internal import NIOCore
internal import RelayNetwork
internal import StrictJSON

/// Reads what a relay shows of a channel that somebody else runs: one request, on a line that ends with it. It lives on the event loop of the
/// relay's lines.
final class ChannelLookup {
  private let lines: RelayLines
  private let limits: NostrLimits
  private let filters: [JSONValue]
  private let promise: EventLoopPromise<[NostrEvent]>
  private var line: RelayLines.End?
  private var events: [NostrEvent] = []
  private var alarm: Scheduled<Void>?
  private var isOver = false
  private static let name = "l"
  /// The number of events that are looked at.
  static let eventsMax = 100

  private init(_ filters: [JSONValue], _ lines: RelayLines, _ limits: NostrLimits) {
    self.lines = lines
    self.limits = limits
    self.filters = filters
    promise = lines.eventLoop.makePromise()
  }

  /// Asks a relay.
  /// - Returns: the events that it served, in their order. They were not verified. The future fails with `PeerFailure`.
  static func events(
    matching filters: [JSONValue], on lines: RelayLines, within limits: NostrLimits
  ) -> EventLoopFuture<[NostrEvent]> {
    lines.eventLoop.flatSubmit {
      let lookup = ChannelLookup(filters, lines, limits)
      lookup.begin()
      return lookup.promise.futureResult
    }
  }

  private func begin() {
    // Names of requests are the session's own only where it has its own line.
    let name = "\(Self.name)\(UInt32.random(in: 0 ... .max))"
    lines.open { [self] event in
      hear(event, name)
    } then: { [self] result in
      switch result {
      case .success(let line):
        self.line = line
        line.send(ClientMessage.request(name, filters))
        let bound = NIOLoopBound(self, eventLoop: lines.eventLoop)
        alarm = lines.eventLoop.scheduleTask(in: .milliseconds(limits.readTimeout.wholeMilliseconds)) {
          bound.value.end(.failure(PeerFailure(.timeout, "the relay did not answer the request in time")))
        }
      case .failure(let failure): end(.failure(PeerFailure(failure.trouble)))
      }
    }
  }

  private func hear(_ event: LineEvent, _ name: String) {
    switch event {
    case .message(.event(let subscription, let event)) where subscription == name:
      events.append(event)
      if events.count >= Self.eventsMax { end(.success(events)) }
    case .message(.endOfStored(let subscription, _)) where subscription == name:
      line?.send(ClientMessage.close(name))
      end(.success(events))
    case .message(.closed(let subscription, let text)) where subscription == name:
      end(.failure(PeerFailure(ClosedRequest(text).trouble)))
    case .message: break
    case .violated(let text): end(.failure(PeerFailure(.protocol, text)))
    case .flooded(let text): end(.failure(PeerFailure(.misbehaving, text)))
    case .closed(let code, let reason):
      let words = [code.map(String.init) ?? "", reason].filter { !$0.isEmpty }.joined(separator: " ")
      end(.failure(PeerFailure(.unreachable, "the relay closed the connection\(words.isEmpty ? "" : " (\(words))")")))
    }
  }

  private func end(_ result: Result<[NostrEvent], PeerFailure>) {
    guard !isOver else { return }
    isOver = true
    alarm?.cancel()
    line?.hangUp()
    line = nil
    promise.completeWith(result.mapError { $0 as any Error })
  }
}
