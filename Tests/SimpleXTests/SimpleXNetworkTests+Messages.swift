import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

// Messages over real connections to a scripted core.
extension SimpleXNetworkTests {
  private func follow(_ bench: Bench) throws {
    let relays = Dictionary(
      uniqueKeysWithValues: Self.relays.prefix(2).enumerated().map { (RelayID(rawValue: Int64($0 + 1)), $1) })
    bench.network.follow(
      FollowedChannel(id: ChannelID(rawValue: 1), content: try #require(bench.content(1)), relays: relays))
  }

  /// A network with a channel on two relays.
  private func makeBench() async throws -> Bench {
    let bench = try await Bench()
    try await bench.prepare(1)
    for number in (1...2).map({ bench.start(.invite, 1, at: $0) }) { _ = await bench.outcome(of: number) }
    return bench
  }

  /// The messages that were read, each time that they were.
  private func texts(_ bench: Bench) -> [String] {
    bench.reports.flatMap { report -> [MessageNews] in if case .read(let batch) = report { batch.news } else { [] } }
      .compactMap { if case .message(let message) = $0.what { message.text } else { nil } }
  }

  private func heard(_ text: String, _ bench: Bench) async {
    await bench.heard { report in
      guard case .read(let batch) = report else { return false }
      bench.network.took(batch.id)
      return batch.news.contains { if case .message(let message) = $0.what { message.text == text } else { false } }
    }
  }

  @Test func messagesAreReadBeforeAndAfterTheConnectionBreaks() async throws {
    let bench = try await makeBench()
    try await bench.server.withModel { _ = $0.say(.init("One"), by: 7, channel: 1) }
    try follow(bench)
    await heard("One", bench)
    for relay in 1...2 {
      await bench.heard { $0 == .synced(channel: ChannelID(rawValue: 1), relay: RelayID(rawValue: Int64(relay)), .complete) }
    }
    try await bench.server.withModel { _ = $0.say(.init("Two"), by: 8, channel: 1) }
    await heard("Two", bench)
    // The event goes to a connection that is gone.
    try await bench.server.stop()
    _ = try await bench.server.withModel { model in
      model.say(.init("Three"), by: 7, channel: 1)
      model.loseEvents()
    }
    try await bench.server.restart()
    await heard("Three", bench)
    #expect(texts(bench).sorted() == ["One", "Three", "Two"], "each of them once")
    try await bench.end()
  }

  /// No one takes what was read, and posts go out all the same.
  @Test func messagesHoldUpNothing() async throws {
    let bench = try await makeBench()
    try follow(bench)
    await bench.heard { if case .synced = $0 { true } else { false } }
    try await bench.server.withModel { model in for number in 1...600 { model.say(.init("\(number)"), by: 7, channel: 1) } }
    await bench.heard { if case .read(let batch) = $0 { batch.id.number >= 4 } else { false } }
    #expect(await bench.perform(.verify, 1, at: 1) == .verified(edition: 1))
    let batches = bench.reports.count { if case .read = $0 { true } else { false } }
    #expect(batches == 4, "no more is read before something is taken")
    try await bench.end()
  }

  /// The core says with each message how many readers its relays have counted.
  @Test func readersAreCountedWhenThatIsNews() async throws {
    let bench = try await makeBench()
    try await bench.server.withModel { model in
      model.publicMemberCount = 12
      model.say(.init("One"), by: 7, channel: 1)
    }
    try follow(bench)
    func counts() -> [Int] {
      bench.reports.flatMap { report -> [MessageNews] in if case .read(let batch) = report { batch.news } else { [] } }
        .compactMap { if case .memberCount(let count) = $0.what { count } else { nil } }
    }
    await heard("One", bench)
    try await bench.server.withModel { _ = $0.say(.init("Two"), by: 8, channel: 1) }
    await heard("Two", bench)
    try await bench.server.withModel { model in
      model.publicMemberCount = 13
      model.say(.init("Three"), by: 8, channel: 1)
    }
    await heard("Three", bench)
    // An event that waited for a page may be older than it, and then says for a moment what was before.
    let told = counts()
    #expect(told.first == 12 && Set(told) == [12, 13] && zip(told, told.dropFirst()).allSatisfy { $0 != $1 }, "\(told)")
    try await bench.end()
  }
}
