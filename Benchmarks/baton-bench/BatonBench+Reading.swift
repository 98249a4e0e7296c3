import BatonClient
import Channels
import ControlAPI
import Foundation
import Glibc
import Nostr
import RelayNetwork
import Storage
import Store
import StrictJSON
import Synchronization
import TestSupport

// How soon a client sees what others say, and how much of it can be verified and stored.
extension BatonBench {
  static func reading() async throws {
    try await arrivals()
    try await taking()
  }

  // MARK: - Arrival

  /// When things happened to events, by their ids.
  private final class Moments: Sendable {
    private struct State {
      var moments: [String: ContinuousClock.Instant] = [:]
      var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    func note(_ id: String) {
      let now = ContinuousClock.now
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if state.moments[id] == nil { state.moments[id] = now }
        guard let waiter = state.waiter, state.moments.count >= waiter.count else { return nil }
        state.waiter = nil
        return waiter.continuation
      }
      waiter?.resume()
    }

    var all: [String: ContinuousClock.Instant] { state.withLock { $0.moments } }

    /// Waits until there are so many.
    func reach(_ count: Int) async {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.moments.count >= count { return true }
          state.waiter = (count, continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    }

    /// How long it took from one moment to the other, in microseconds, shortest first.
    /// - Parameter only: the events that count; all if it is `nil`.
    func since(_ start: Moments, only: Set<String>? = nil) -> [Double] {
      let begun = start.all
      return all.compactMap { id, end in
        only?.contains(id) ?? true ? begun[id].map { seconds($0.duration(to: end)) * 1e6 } : nil
      }.sorted()
    }
  }

  /// From the moment in which a stranger hands a message to the relay until a client that watches has it, beside a plain subscriber of the
  /// same relay.
  private static func arrivals() async throws {
    let (count, perSecond) = (3_000, 150)
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let url = try await sandbox.sandboxRelays(1)[0]
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    _ = try await client.relays.add(AddRelay(address: url, name: "r1"))
    let channel = try await client.channels.create(CreateChannel(profile: .init(displayName: "Channel"), pick: 1))
    while try await client.channels.get(id: channel.id).phase != "active" { try await client.service.ping() }
    // It is followed from now on.
    _ = try await client.call(MessagesMethod.sync, ["channelId": .integer(channel.id)])

    let (subscriber, stranger) = (try PlainWebSocket(url), try PlainWebSocket(url))
    let (found, bare, ours, sent) = (Moments(), Moments(), Moments(), Moments())
    subscriber.read { text in
      guard let id = eventID(text) else { return }
      (String(decoding: text.prefix(18), as: UTF8.self).contains("\"channel\"") ? found : bare).note(id)
    }
    subscriber.send("[\"REQ\",\"channel\",{\"kinds\":[40]}]")
    await found.reach(1)
    let root = found.all.keys.first ?? ""
    subscriber.send("[\"REQ\",\"live\",{\"kinds\":[42],\"#e\":[\"\(root)\"],\"limit\":0}]")
    stranger.read { _ in }
    let watching = Task {
      let watcher = try await BatonClient(socket: folder.path + "/c")
      for try await reply in try await watcher.stream(MessagesMethod.watch.rawValue) {
        if let id = reply["message"]?["networkId"]?.string { ours.note(id) }
        if ours.all.count == count { break }
      }
      await watcher.close()
    }

    try await say(strangersEvents(count, in: [root]), perSecond, stranger, sent)
    await bare.reach(count)
    try await watching.value
    let (a, b) = (ours.since(sent), bare.since(sent))
    for percent in [50, 99] {
      let (mine, limit) = (percentile(a, percent), percentile(b, percent))
      row(
        "a message from the hand of its author to a client that watches, \(perSecond)/s on a sandbox relay, p\(percent)",
        "\(format(mine)) µs", "plain subscriber of the same relay: \(format(limit)) µs",
        "\(format(mine / limit, 2)), target 1.5")
    }
    await client.close()
    await stop(daemon)
    try await shortestWay(url, root, stranger, sent, bare, perSecond)
    subscriber.hangUp()
    stranger.hangUp()
    await kill(sandbox)
  }

  /// Hands messages to the relay, so many in a second, and notes when.
  private static func say(
    _ events: [NostrEvent], _ perSecond: Int, _ stranger: PlainWebSocket, _ sent: Moments
  ) async throws {
    let begin = ContinuousClock.now + .seconds(1)
    for (number, event) in events.enumerated() {
      try await Task.sleep(until: begin + .seconds(Double(number) / Double(perSecond)), clock: .continuous)
      sent.note(event.id)
      stranger.send(ClientMessage.event(event.text))
    }
  }

  /// The same without a daemon, for the least that it takes: one process that verifies each message, stores it, and hands it on through a
  /// socket.
  private static func shortestWay(
    _ url: String, _ root: String, _ stranger: PlainWebSocket, _ sent: Moments, _ bare: Moments, _ perSecond: Int
  ) async throws {
    let count = 1_000
    let (known, folder, end) = (sent.all.count, try TemporaryFolder(), Moments())
    let keeper = MessageKeeperStore(try MessageStore(directory: folder.path))
    try await keeper.begin(ChannelID(rawValue: 1), since: now)
    var ends: [CInt] = [0, 0]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw PlainWebSocket.Failure(reason: "no socket")
    }
    let (writing, reading) = (ends[0], ends[1])
    Thread.detachNewThread {
      var id = [UInt8](repeating: 0, count: 64)
      while recv(reading, &id, 64, CInt(MSG_WAITALL)) == 64 { end.note(String(decoding: id, as: UTF8.self)) }
    }
    let (texts, arrived) = AsyncStream.makeStream(of: [UInt8].self)
    let chain = try PlainWebSocket(url)
    chain.read { arrived.yield($0) }
    chain.send("[\"REQ\",\"chain\",{\"kinds\":[42],\"#e\":[\"\(root)\"],\"limit\":0}]")
    let work = Task {
      var taken = 0
      for await text in texts where text.starts(with: "[\"EVENT\"".utf8) {
        guard case .event(_, let event)? = RelayMessage(text) else { continue }
        try event.verify()
        _ = try await keeper.take([news(event, in: 1)], at: now, within: MessageLimits())
        _ = Array(event.id.utf8).withUnsafeBytes { send(writing, $0.baseAddress, $0.count, 0) }
        taken += 1
        if taken == count { break }
      }
    }
    let events = strangersEvents(count, in: [root])
    try await say(events, perSecond, stranger, sent)
    try await work.value
    await end.reach(count)
    await bare.reach(known + count)
    let ids = Set(events.map(\.id))
    let (a, b) = (end.since(sent), bare.since(sent, only: ids))
    for percent in [50, 99] {
      let (mine, limit) = (percentile(a, percent), percentile(b, percent))
      row(
        "the same without a daemon: verified, stored and handed on through a socket, p\(percent)", "\(format(mine)) µs",
        "plain subscriber of the same relay: \(format(limit)) µs", format(mine / limit, 2))
    }
    chain.hangUp()
    for end in ends { _ = Glibc.close(end) }
  }

  /// The id of the event in a message of a relay that writes it first.
  private static func eventID(_ text: [UInt8]) -> String? {
    guard text.starts(with: "[\"EVENT\"".utf8) else { return nil }
    let key = Array("{\"id\":\"".utf8)
    guard let start = text.indices.first(where: { text[$0...].starts(with: key) }) else { return nil }
    return String(decoding: text[(start + key.count)...].prefix(64), as: UTF8.self)
  }

  private static func percentile(_ sorted: [Double], _ percent: Int) -> Double {
    sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
  }

  /// Messages of people who say a few things each, as long as most posts are.
  /// - Parameter roots: the ids of their channels, in turn.
  static func strangersEvents(_ count: Int, in roots: [String]) -> [NostrEvent] {
    let keys = (0..<400).map { _ in SecretKey.random() }
    let now = now.milliseconds / 1_000
    return (0..<count).compactMap { number in
      NostrEvent(
        signedBy: keys[number % keys.count], createdAt: now - Int64((count - number) / 100), kind: 42,
        tags: [["e", roots[number % roots.count], "ws://127.0.0.1:1", "root"]], content: text(number))
    }
  }

  // MARK: - Storing

  /// Verifies and stores messages as they come in from relays that are faster than that, beside bare SQLite that writes the same rows.
  private static func taking() async throws {
    let (count, batch, channels) = (20_000, 1_000, 20)
    let events = strangersEvents(count, in: (1...channels).map { String(repeating: "a", count: 62) + "\($0 + 10)" })
    var (ours, bare, shares, alone): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<3 {
      let folder = try TemporaryFolder()
      let store = try MessageStore(directory: folder.path)
      let keeper = MessageKeeperStore(store)
      for number in 1...channels { try await keeper.begin(ChannelID(rawValue: Int64(number)), since: now) }
      var (verifying, storing) = (Duration.zero, Duration.zero)
      let first = ContinuousClock.now
      // As in the daemon, the next messages are verified while the ones before are stored.
      var before: Task<Duration, any Error>?
      for start in stride(from: 0, to: count, by: batch) {
        let begin = ContinuousClock.now
        var read: [ReadNews] = []
        for (offset, event) in events[start..<min(start + batch, count)].enumerated() {
          try event.verify()
          read.append(news(event, in: Int64((start + offset) % channels + 1)))
        }
        verifying += begin.duration(to: .now)
        if let task = before { storing += try await task.value }
        before = Task { [read] in
          let begin = ContinuousClock.now
          let receipt = try await keeper.take(read, at: now, within: MessageLimits())
          guard receipt.new == read.count else { throw PlainWebSocket.Failure(reason: "\(receipt.refused) were left out") }
          return begin.duration(to: .now)
        }
      }
      if let task = before { storing += try await task.value }
      ours.append(Double(count) / seconds(first.duration(to: .now)))
      store.close()
      shares.append(seconds(verifying) / seconds(verifying + storing))
      alone.append(Double(count) / seconds(storing))
      let limit = try await secondsOfLimit(
        "copy_rows", [folder.path + "/messages.db", folder.path + "/copy.db", "\(count / batch)"])
      bare.append(Double(count) / limit)
    }
    let (a, b, share) = (median(ours), median(bare), median(shares))
    row(
      "\(count) messages verified and stored, \(batch) in a transaction", rate(a),
      "bare SQLite, same rows and indexes: \(rate(b))", "\(format(a / b, 2)), target 0.4")
    row("the same: share of that which is signatures", "\(format(share * 100)) %")
    let c = median(alone)
    row("the same: stored alone", rate(c), "bare SQLite: \(rate(b))", format(c / b, 2))
  }

  private static func news(_ event: NostrEvent, in channel: Int64) -> ReadNews {
    let message = ReadMessage(
      networkID: event.id, author: event.publicKey, text: event.content,
      createdAt: Timestamp(milliseconds: event.createdAt * 1_000))
    return ReadNews(
      relay: RelayID(rawValue: 1),
      news: MessageNews(channel: ChannelID(rawValue: channel), isLive: false, what: .message(message)))
  }
}
