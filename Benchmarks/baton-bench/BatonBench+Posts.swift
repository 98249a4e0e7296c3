import BatonClient
import ControlAPI
import Foundation
import StrictJSON
import TestSupport

// How fast posts are published, and how long that takes one client.
extension BatonBench {
  /// How many channels publish where it does not matter which.
  static let postingChannels = 16

  /// A text as long as those of most posts. No two are equal, because equal ones of one second would be one event.
  static func text(_ number: Int) -> String {
    let words = "what there is to say about it, in a hundred and some characters, as most posts are. "
    return String("Post \(number): \(words)\(words)".prefix(140))
  }

  /// Channels that are active on all of these relays, which the daemon does not have yet.
  static func activeChannels(_ count: Int, on urls: [String], _ client: BatonClient) async throws -> [Int64] {
    for (index, url) in urls.enumerated() { _ = try await client.relays.add(AddRelay(address: url, name: "r\(index)")) }
    try await createMany(count, socket: client.socket)
    while try await client.daemon.status().channelRelays.active < urls.count * count { try await client.service.ping() }
    return try await client.channels.all().map(\.id)
  }

  /// Publishes one post. Returns once it is durable.
  static func publish(_ number: Int, in channel: Int64, _ client: BatonClient) async throws {
    _ = try await client.call(PostsMethod.publish, ["channelId": .integer(channel), "text": .string(text(number))])
  }

  /// Publishes posts by sixteen clients, one call in flight each.
  static func publishMany(_ count: Int, in channels: [Int64], socket: String) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          let client = try await BatonClient(socket: socket)
          for number in stride(from: worker, to: count, by: 16) {
            try await publish(number, in: channels[number % channels.count], client)
          }
          await client.close()
        }
      }
      try await group.waitForAll()
    }
  }

  /// Waits until no relay is under way to any post.
  static func untilDelivered(_ client: BatonClient) async throws {
    // In the order in which posts go through them, so that none slips through.
    for status in ["pending", "sent", "accepted"] {
      while try await !client.posts.list(PostsListRequest(status: status, limit: 1)).posts.isEmpty {
        try await client.service.ping()
      }
    }
  }

  /// `Posts.Publish` answered durably by sixteen clients, beside bare SQLite that writes what such a run stores; and by one.
  static func publishCalls() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "3"])
    let relays = try await sandbox.sandboxRelays(3)
    let count = 2_000
    var (ours, bare, commits, calls): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    var (inside, bareInside): ([Double], [Double]) = ([], [])
    for _ in 0..<3 {
      let run = try await publishing(count, on: relays)
      ours.append(run.rate)
      calls.append(run.call)
      let limit = try await recordedPublishing(count, on: relays)
      bare.append(limit.rate)
      commits.append(limit.commits)
      let alone = try await recordedPublishing(count, on: (1...3).map { "ws://r\($0)" }, network: FakeNetwork())
      inside.append(alone.ours)
      bareInside.append(alone.rate)
    }
    let (a, b) = (median(ours), median(bare))
    row(
      "Posts.Publish answered durably, 16 clients, while relays are served", rate(a),
      "bare SQLite, same rows and batches: \(rate(b))", "\(format(a / b, 2)), target 0.4")
    let (c, d) = (median(inside), median(bareInside))
    row(
      "the same, in-process network", rate(c), "bare SQLite, same rows and batches: \(rate(d))", format(c / d, 2))
    row("commits (one sync each) per post in the run whose rows these are", format(median(commits), 3))
    row("one Posts.Publish by one client, median", "\(format(median(calls), 2)) ms")
    await kill(sandbox)
  }

  /// Publishes through a daemon: posts per second by sixteen clients, and the median of the milliseconds that a call takes one client that
  /// makes them one after the other.
  private static func publishing(_ count: Int, on relays: [String]) async throws -> (rate: Double, call: Double) {
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    let channels = try await activeChannels(postingChannels, on: relays, client)
    let started = ContinuousClock.now
    try await publishMany(count, in: channels, socket: client.socket)
    let rate = Double(count) / seconds(ContinuousClock.now - started)
    try await untilDelivered(client)
    var calls: [Double] = []
    for number in count..<count + 500 {
      let begin = ContinuousClock.now
      try await publish(number, in: channels[number % channels.count], client)
      calls.append(seconds(ContinuousClock.now - begin) * 1000)
    }
    await client.close()
    await stop(daemon)
    return (rate, median(calls))
  }

  /// The same load on a server in this process that notes what it stores until the last call is answered. The limit writes that.
  /// - Parameter network: as in `RecordedServer`.
  /// - Returns: posts per second of the limit, and of the server; and commits per post.
  private static func recordedPublishing(
    _ count: Int, on relays: [String], network: FakeNetwork? = nil
  ) async throws -> (rate: Double, ours: Double, commits: Double) {
    let folder = try TemporaryFolder()
    let server = try await RecordedServer(folder, network: network)
    let client = try await BatonClient(socket: server.socket)
    let channels = try await activeChannels(postingChannels, on: relays, client)
    let before = folder.path + "/bare.db"
    _ = try await Program.run("/usr/bin/sqlite3", [folder.path + "/state/baton.db", "VACUUM INTO '\(before)'"])
    server.storage.startAgain()
    let started = ContinuousClock.now
    try await publishMany(count, in: channels, socket: server.socket)
    let ours = Double(count) / seconds(ContinuousClock.now - started)
    let (trace, commits) = (server.storage.trace, server.storage.commits)
    await client.close()
    try await server.stop()
    try trace.write(toFile: folder.path + "/trace", atomically: true, encoding: .utf8)
    let limit = try await secondsOfLimit("bare_sqlite", [before, folder.path + "/trace"])
    return (Double(count) / limit, ours, Double(commits) / Double(count))
  }
}
