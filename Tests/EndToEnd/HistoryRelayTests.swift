import Dialing
import Foundation
import Glibc
import NIOCore
import NIOPosix
import TestTools
import Testing

@testable import Nostr

/// Histories of independent relays: nostr-relay leaves the second of `until` out, rust-nostr's LocalRelay does not and has a cap.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct HistoryRelayTests {
  /// A connection to a relay, and what comes over it.
  struct Line {
    private let connection: RelayDialer.Connection
    private var messages: AsyncThrowingStream<RelayMessage, any Error>.Iterator

    init(_ url: String) async throws {
      var limits = NostrLimits()
      // All that comes was asked for, and a relay on a busy machine is silent for long.
      (limits.unaskedMax, limits.dialTimeout, limits.silenceMax) = (1_000_000, .seconds(60), .seconds(600))
      let dialer = RelayDialer(tls: try WebTLS(trustRoots: nil), limits: limits)
      let (stream, arrivals) = AsyncThrowingStream.makeStream(of: RelayMessage.self)
      messages = stream.makeAsyncIterator()
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let address = try RelayURL(url)
      connection = try await loop.flatSubmit {
        dialer.dial(address, on: loop) { inbound in
          guard case .message(let bytes) = inbound else {
            return arrivals.finish(throwing: Program.Ended(description: "the connection ended: \(inbound)"))
          }
          if let message = RelayMessage(bytes.readableBytesView) { arrivals.yield(message) }
        }
      }.get()
    }

    func send(_ text: String) {
      let connection = connection
      connection.channel.eventLoop.execute { connection.send(text) }
    }

    func hangUp() {
      let connection = connection
      connection.channel.eventLoop.execute { connection.hangUp() }
    }

    mutating func next() async throws -> RelayMessage {
      guard let message = try await messages.next() else { throw Program.Ended(description: "the relay hung up") }
      return message
    }

    mutating func publish(_ events: [NostrEvent]) async throws {
      for event in events { send(ClientMessage.event(event.text)) }
      var open = Set(events.map(\.id))
      while !open.isEmpty {
        guard case .ok(let id, let isAccepted, let text) = try await next() else { continue }
        guard isAccepted else { throw Program.Ended(description: "the relay refuses: \(text)") }
        open.remove(id)
      }
    }

    mutating func read(_ pager: inout HistoryPager) async throws {
      while let query = pager.next() {
        let name = "h\(pager.queryCount)"
        send(ClientMessage.request(name, [pager.filter.json(query)]))
        page: while true {
          switch try await next() {
          case .event(name, let event): pager.take(event, bytes: event.text.utf8.count)
          case .endOfStored(name, let hint):
            pager.endPage(hint)
            break page
          case .closed(name, let text): throw Program.Ended(description: "the relay does not answer: \(text)")
          default: break
          }
        }
        send(ClientMessage.close(name))
      }
    }
  }

  @Test func fourHundredEventsAreFoundThoughManyShareASecond() async throws {
    let port = Program.freePort()
    let local = try Program(ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/local_relay.py", "\(port)"])
    try await local.line(containing: "ready")
    let third = try ThirdPartyRelay()
    let programs = [local, try await third.start()]

    let now = Int64(Date().timeIntervalSince1970)
    let spread = (0..<295).map { now - 1 - Int64($0 * 33) }
    let dates = spread + Array(repeating: now - 1_000, count: 45) + Array(repeating: now - 5_000, count: 60)
    let key = SecretKey.random()
    let events = dates.enumerated().compactMap { NostrEvent(signedBy: key, createdAt: $1, kind: 42, content: "post \($0)") }
    try #require(events.count == 400)
    for url in ["ws://127.0.0.1:\(port)", third.url] {
      var line = try await Line(url)
      try await line.publish(events)
      for pageSize in [20, 50] {
        var limits = HistoryPager.Limits()
        limits.pageSize = pageSize
        let filter = HistoryFilter(authors: [key.publicKey], kinds: [42])
        var pager = HistoryPager(filter: filter, window: (now - 20_000)...(now + 60), limits: limits)
        try await line.read(&pager)
        #expect(pager.ending == .complete && pager.holes.isEmpty)
        #expect(Set(pager.found.keys) == Set(events.map(\.id)), "\(pager.found.count) at \(url), page \(pageSize)")
        #expect(pager.queryCount < 30)
      }
      line.hangUp()
    }
    for program in programs { program.signal(SIGKILL) }
    for program in programs { _ = await program.status() }
  }
}
