import BatonClient
import Channels
import ControlAPI
import Foundation
import Glibc
import Storage
import Store
import StrictJSON
import TestSupport

// A million posts, each delivered to three relays: how soon the daemon is there, how much memory it takes, how long a page takes.
extension BatonBench {
  static func manyPosts() async throws {
    let folder = try TemporaryFolder()
    let count = 1_000_000
    // A first start makes schema and identity.
    await stop(try await daemon(folder))
    try await fillPosts(folder, count)

    let started = ContinuousClock.now
    let daemon = try await daemon(folder)
    let time = seconds(ContinuousClock.now - started) * 1000
    row(
      "\(count) posts with three deliveries each: start to first answer", "\(format(time)) ms", "budget 2,000 ms",
      format(time / 2_000, 2))
    let client = try await BatonClient(socket: folder.path + "/c")
    for (name, parameters) in questionsForPosts(count) {
      var times: [Double] = []
      for _ in 0..<5 {
        let begin = ContinuousClock.now
        _ = try await client.call(PostsMethod.list, parameters)
        times.append(seconds(ContinuousClock.now - begin) * 1000)
      }
      row("the same: a page of posts, \(name)", "\(format(median(times), 1)) ms", "budget 5 ms", format(median(times) / 5, 2))
    }
    row(
      "the same: memory after that (resident)", "\(format(memory(daemon.pid), 1)) MiB", "budget 150 MiB",
      format(memory(daemon.pid) / 150, 2))
    await client.close()
    await stop(daemon)
  }

  private static func questionsForPosts(_ count: Int) -> [(String, [String: JSONValue])] {
    let middle = JSONValue.integer(Int64(count / 2))
    return [
      ("the newest 25", [:]),
      ("the newest 100", ["limit": 100]),
      ("100 before one in the middle", ["before": middle, "limit": 100]),
      ("100 after one in the middle", ["after": middle, "limit": 100]),
      ("100 around one in the middle", ["around": middle, "limit": 100]),
      ("100 that failed somewhere, 1 in 1,000", ["status": "failed", "limit": 100]),
      ("100 of these around one in the middle", ["status": "failed", "around": middle, "limit": 100]),
      ("100 of one channel", ["channelId": 7, "limit": 100]),
      ("the one of a channel that failed", ["channelId": 7, "status": "failed", "limit": 100]),
      ("100 of one relay", ["relayId": 2, "limit": 100]),
    ]
  }

  // MARK: - Rows

  /// A thousand channels with a thousand posts each, in turn.
  private static func fillPosts(_ folder: TemporaryFolder, _ count: Int) async throws {
    let store = try Store(directory: folder.path + "/state")
    let (now, channels) = (Self.now, 1_000)
    let identity = try store.identities()[0].id
    try await addFarRelays(to: store)
    var mutations: [StoreMutation] = []
    for number in 1...channels {
      let id = ChannelID(rawValue: Int64(number))
      mutations += settledChannel(number, of: identity, at: now)
      for relay in Int64(1)...3 {
        mutations.append(
          .savePostRoute(
            PostRouteRow(channel: id, relay: RelayID(rawValue: relay), status: .joined, cursor: PostID(rawValue: 0))))
      }
    }
    try await store.commit(CommitRequest(mutations))
    for start in stride(from: 1, through: count, by: 10_000) {
      var mutations: [StoreMutation] = []
      for number in start..<min(start + 10_000, count + 1) { mutations += settledPost(number, channels, at: now) }
      try await store.commit(CommitRequest(mutations))
    }
    store.close()
  }

  private static func settledPost(_ number: Int, _ channels: Int, at now: Timestamp) -> [StoreMutation] {
    let id = PostID(rawValue: Int64(number))
    let channel = (number - 1) % channels + 1
    // One post of each channel failed at the third relay.
    let hasFailed = (number - 1) / channels == channel - 1
    let row = PostRow(
      id: id, channel: ChannelID(rawValue: Int64(channel)), document: document(number, channel), text: text(number),
      createdAt: now, deliveryCount: 3, revision: Int64(number))
    return [.insertPost(row)]
      + (1...3).map { relay in
        let record = settledDelivery(hasFailed && relay == 3 ? .failed : .verified, at: now)
        return .saveDelivery(id, DeliveryRow(relay: RelayID(rawValue: Int64(relay)), record: record))
      }
  }

  /// A post as long as Nostr makes one. Its signature is none, and no one looks at that.
  private static func document(_ number: Int, _ channel: Int) -> PostDocument {
    func hex(_ digit: String, _ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: digit, count: count - digits.count) + digits
    }
    let (id, author) = (hex("c", number, 64), hex("b", channel, 64))
    let root = "[\"e\",\"\(hex("a", channel + 10_000_000, 64))\",\"ws://127.0.0.1:1\",\"root\"]"
    let event =
      "{\"id\":\"\(id)\",\"pubkey\":\"\(author)\",\"created_at\":1750000000,\"kind\":42,\"tags\":[\(root)],"
      + "\"content\":\"\(text(number))\",\"sig\":\"\(String(repeating: "d", count: 128))\"}"
    return PostDocument(networkID: id, author: author, text: event)
  }

  private static func settledDelivery(_ status: DeliveryStatus, at now: Timestamp) -> DeliveryRecord {
    let hasFailed = status == .failed
    return DeliveryRecord(
      status: status, since: now, operation: 2, left: hasFailed ? 0 : 1, shown: hasFailed ? 0 : 1, isDeletionRequested: false,
      trouble: hasFailed ? Trouble(.rejected, "blocked: no") : nil, task: hasFailed ? .publish : nil,
      attempt: hasFailed ? 1 : 0, repair: hasFailed ? 1 : 0, startedAt: hasFailed ? now : nil, isUnderWay: false,
      timer: hasFailed ? now + .seconds(86_400) : nil)
  }
}
