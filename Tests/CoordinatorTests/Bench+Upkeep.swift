import Channels
import Storage
import Store
import TestSupport
import Testing

@testable import Coordinator

extension Bench {
  /// Runs `count` rounds of upkeep, a minute apart.
  func rounds(_ count: Int, after: () async throws -> Void = {}) async throws {
    for _ in 0..<count {
      // There is always a next round to wait for.
      while clock.nextWake == nil { await Task.yield() }
      clock.advance(by: .seconds(60))
      try await settle()
      try await after()
    }
  }

  /// The transitions of a channel, a line each.
  func transitions(_ id: ChannelID) throws -> [String] {
    try store.transitions(of: id, limit: 1000).map {
      "\($0.relay.rawValue) \($0.transition.from)->\($0.transition.to)\($0.transition.cause.map { " \($0)" } ?? "")"
    }
  }

  /// The number of channels of one relay in each status.
  func statuses(_ relay: RelayID) throws -> [RelayStatus: Int] {
    try RelayStatus.allCases.reduce(into: [:]) {
      let count = try store.channels(of: relay, in: $1, after: nil, limit: 10_000).count
      if count > 0 { $0[$1] = count }
    }
  }

  /// Runs rounds until `isDone`, at most `max` of them.
  func rounds(atMost max: Int, until isDone: () throws -> Bool) async throws {
    for _ in 0..<max where try !isDone() { try await rounds(1) }
    #expect(try isDone())
  }
}
