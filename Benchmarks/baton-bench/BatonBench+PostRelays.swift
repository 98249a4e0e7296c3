import BatonClient
import ControlAPI
import Foundation
import TestSupport

// How fast posts are on their relays, where readers find them.
extension BatonBench {
  /// Waits until so many posts are verified on every relay that they go to.
  /// - Parameter revision: that of posts before the first of them.
  static func untilPublished(_ count: Int, since revision: Int64, socket: String) async throws {
    let watcher = try await BatonClient(socket: socket)
    var published: Set<Int64> = []
    for try await change in try await watcher.posts.watch(since: revision) {
      if let post = change.post, post.phase == "published" { published.insert(post.id) }
      if published.count == count { break }
    }
    await watcher.close()
  }

  /// Posts per second to three third-party relays until all are verified there, beside a publisher without state or retry that reads back.
  static func postsToRelays() async throws {
    let folder = try TemporaryFolder()
    let (programs, urls) = try await nostrRelays(folder)
    let count = 1_000
    var (bare, ours): ([Double], [Double]) = ([], [])
    for _ in 0..<3 {
      bare.append(try await bareRate(count, on: urls, "--posts", "--read-back"))
      ours.append(try await publishedRate(count, on: urls))
    }
    let (a, b) = (median(ours), median(bare))
    row(
      "posts to verified on three nostr-relay 1.14, 16 channels", rate(a),
      "publisher without state that reads back: \(rate(b))",
      "\(format(a / b, 2)), target 0.9")
    for program in programs { await kill(program) }
  }

  /// Posts per second from the first request until all are verified on these relays, by a daemon of their own.
  private static func publishedRate(_ count: Int, on urls: [String]) async throws -> Double {
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    let channels = try await activeChannels(postingChannels, on: urls, client)
    let revision = try await client.posts.list(PostsListRequest(limit: 1)).revision
    let started = ContinuousClock.now
    async let publishing: Void = publishMany(count, in: channels, socket: client.socket)
    try await untilPublished(count, since: revision, socket: client.socket)
    let rate = Double(count) / seconds(ContinuousClock.now - started)
    try await publishing
    await client.close()
    await stop(daemon)
    return rate
  }

  /// A thousand channels that post at the same moment, each by a client of its own.
  static func burst() async throws {
    allowManyConnections()
    let count = 1_000
    let sandbox = try Program("baton-sandbox", ["--relays", "3"])
    let relays = try await sandbox.sandboxRelays(3)
    var (answered, verified): ([Double], [Double]) = ([], [])
    for _ in 0..<3 {
      let folder = try TemporaryFolder()
      let daemon = try await daemon(folder, environment: ["BATON_CONTROL_CONNECTIONS_PER_USER": "4096"])
      let client = try await BatonClient(socket: folder.path + "/c")
      let channels = try await activeChannels(count, on: relays, client)
      let run = try await postAtOnce(in: channels, client)
      answered.append(run.answered)
      verified.append(run.verified)
      await client.close()
      await stop(daemon)
    }
    row(
      "\(count) channels that post at the same moment, 3 sandbox relays: all answered durably; all verified",
      "\(format(median(answered), 2)) s; \(format(median(verified), 2)) s")
    await kill(sandbox)
  }

  /// - Returns: seconds until the last call was answered, and until all posts were verified on all of their relays.
  private static func postAtOnce(
    in channels: [Int64], _ client: BatonClient
  ) async throws -> (answered: Double, verified: Double) {
    var clients: [BatonClient] = []
    for _ in channels { clients.append(try await BatonClient(socket: client.socket)) }
    let pairs = Array(zip(channels, clients))
    let revision = try await client.posts.list(PostsListRequest(limit: 1)).revision
    let started = ContinuousClock.now
    async let verifying: Void = untilPublished(channels.count, since: revision, socket: client.socket)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (channel, client) in pairs {
        group.addTask { try await publish(Int(channel), in: channel, client) }
      }
      try await group.waitForAll()
    }
    let answered = seconds(ContinuousClock.now - started)
    try await verifying
    let verified = seconds(ContinuousClock.now - started)
    for client in clients { await client.close() }
    return (answered, verified)
  }
}
