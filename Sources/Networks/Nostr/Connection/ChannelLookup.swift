internal import Channels
internal import Dialing
internal import NIOCore
internal import RelayNetwork
internal import StrictJSON

/// Reads someone else's channel at a relay: one request, on a line that ends with it.
final class ChannelLookup: Sendable {
  /// The number of events that are looked at.
  static let eventsMax = 100

  private let lines: RelayLines
  private let shell: NIOLoopBoundBox<Shell>

  init(_ filter: JSONValue, on lines: RelayLines, within limits: NostrLimits) {
    self.lines = lines
    shell = .makeBoxSendingValue(Shell(filter, lines, limits), eventLoop: lines.eventLoop)
  }

  /// Asks the relay.
  /// - Returns: the events that it served, in their order. They were not verified.
  /// - Throws: `PeerFailure`. A task that is cancelled ends the request.
  func events() async throws -> [NostrEvent] {
    let shell = shell
    return try await withTaskCancellationHandler {
      try await lines.eventLoop.flatSubmit { shell.value.begin() }.get()
    } onCancel: {
      lines.eventLoop.execute { shell.value.end(.failure(PeerFailure(.timeout, "no one waits for the answer"))) }
    }
  }

  /// The part that is confined to the event loop.
  private final class Shell {
    private let lines: RelayLines
    private let limits: NostrLimits
    private let filter: JSONValue
    private let promise: EventLoopPromise<[NostrEvent]>
    private var line: RelayLines.End?
    private var events: [NostrEvent] = []
    private var alarm: Scheduled<Void>?
    private var isOver = false

    init(_ filter: JSONValue, _ lines: RelayLines, _ limits: NostrLimits) {
      self.lines = lines
      self.limits = limits
      self.filter = filter
      promise = lines.eventLoop.makePromise()
    }

    func begin() -> EventLoopFuture<[NostrEvent]> {
      guard !isOver else { return promise.futureResult }
      // Sessions that share a line have other names.
      let name = "l\(UInt32.random(in: 0 ... .max))"
      lines.open(isAnonymous: true) { [self] event in
        hear(event, name)
      } then: { [self] result in
        switch result {
        case .success(let line):
          guard !isOver else { return line.hangUp() }
          self.line = line
          line.send(ClientMessage.request(name, [filter]))
          let bound = NIOLoopBound(self, eventLoop: lines.eventLoop)
          alarm = lines.eventLoop.scheduleTask(in: .milliseconds(limits.readTimeout.wholeMilliseconds)) {
            bound.value.end(.failure(PeerFailure(.timeout, "the relay did not answer the request in time")))
          }
        case .failure(let failure): end(.failure(PeerFailure(failure.trouble)))
        }
      }
      return promise.futureResult
    }

    private func hear(_ event: LineEvent, _ name: String) {
      switch event {
      case .message(.event(let subscription, let event)) where subscription == name:
        events.append(event)
        if events.count >= ChannelLookup.eventsMax { end(.success(events)) }
      case .message(.endOfStored(let subscription, _)) where subscription == name:
        line?.send(ClientMessage.close(name))
        end(.success(events))
      case .message(.closed(let subscription, let text)) where subscription == name:
        end(.failure(PeerFailure(ClosedRequest(text).trouble)))
      case .message: break
      case .violated(let text): end(.failure(PeerFailure(.protocol, text)))
      case .flooded(let text): end(.failure(PeerFailure(.misbehaving, text)))
      case .closed(let code, let reason): end(.failure(PeerFailure(.unreachable, ReaderMachine.ending(code, reason))))
      }
    }

    func end(_ result: Result<[NostrEvent], PeerFailure>) {
      guard !isOver else { return }
      isOver = true
      alarm?.cancel()
      line?.hangUp()
      line = nil
      promise.completeWith(result.mapError { $0 as any Error })
    }
  }
}
