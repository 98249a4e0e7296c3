import BatonClient
import Channels
import ControlAPI
import Foundation
import Glibc
import Storage
import Store
import StrictJSON
import TestSupport

// A million messages of others in a thousand channels: how long a page, a search and the inbox take, and what the daemon is like with them.
extension BatonBench {
  /// Work that is done where it is asked for.
  private struct InPlace: BlockingWork {
    func run<T: Sendable>(_ size: WorkSize, _ body: @escaping @Sendable () throws -> T) async throws -> T { try body() }
    func turn<T: Sendable>(_ size: WorkSize, _ body: () async throws -> T) async throws -> T { try await body() }
  }

  static func manyMessages() async throws {
    let folder = try TemporaryFolder()
    let (count, channels) = (1_000_000, 1_000)
    // A first start makes schema and identity.
    await stop(try await daemon(folder))
    try await fillChannels(folder, channels)
    let store = try MessageStore(directory: folder.path + "/state")
    try await fillMessages(MessageKeeperStore(store), count, channels)

    let reading = MessageReadingStore(store, on: InPlace())
    for (name, question) in pagesOfMessages(count, channels) {
      try await measure("\(count) messages: a page, \(name)", budget: 5) { _ = try await reading.messages(question) }
    }
    for (name, search) in searches() {
      try await measure("the same: search, \(name)", budget: 50) { _ = try await reading.messages(holding: search) }
    }
    for (name, isUnread, limit) in [("25", false, 25), ("100", false, 100), ("the 25 with unread messages", true, 25)] {
      try await measure("the same: inbox, \(name)", budget: 10) {
        _ = try await reading.conversations(ConversationQuestion(isUnread: isUnread, limit: limit))
      }
    }
    try await measure("the same: the unread messages of one channel", budget: 5) {
      _ = try await reading.conversation(of: ChannelID(rawValue: 7))
    }
    let keeper = MessageKeeperStore(store)
    try await measure("the same: mark half of a channel as unread", budget: 5) {
      _ = try await keeper.markUnread(ChannelID(rawValue: 7), from: MessageID(rawValue: Int64(count / 2)))
    }
    store.close()
    try await daemonWithMessages(folder, count)
  }

  /// Ten thousand channels, each with a few messages: lists of channels by what is said in them, over the socket.
  static func talkingChannels() async throws {
    let folder = try TemporaryFolder()
    let channels = 10_000
    await stop(try await daemon(folder))
    try await fillChannels(folder, channels)
    let store = try MessageStore(directory: folder.path + "/state")
    try await fillMessages(MessageKeeperStore(store), 5 * channels, channels)
    store.close()
    let daemon = try await daemon(folder)
    let client = try await BatonClient(socket: folder.path + "/c")
    let unread: JSONValue = ["unread": ["$gt": 0]]
    let lists: [(String, [String: JSONValue])] = [
      ("by id", [:]), ("the last message first", ["sort": [["field": "lastMessageAt", "direction": -1]]]),
      (
        "pinned ones first, then the last message",
        ["sort": [["field": "pinned", "direction": -1], ["field": "lastMessageAt", "direction": -1]]]
      ), ("those with unread messages", ["filter": unread]),
      ("those with unread messages, the most first", ["filter": unread, "sort": [["field": "unread", "direction": -1]]]),
    ]
    for limit in [25, 100] as [JSONValue] {
      for (name, parameters) in lists {
        try await measure("\(channels) channels: a page of \(limit.text), \(name)", budget: 10) {
          _ = try await client.call(ChannelsMethod.list, parameters.merging(["limit": limit]) { $1 })
        }
      }
    }
    await client.close()
    await stop(daemon)
  }

  /// The middle of five times.
  private static func measure(_ what: String, budget: Double, _ ask: () async throws -> Void) async throws {
    var times: [Double] = []
    for _ in 0..<5 {
      let begin = ContinuousClock.now
      try await ask()
      times.append(seconds(ContinuousClock.now - begin) * 1000)
    }
    let time = median(times)
    row(what, "\(format(time, 1)) ms", "budget \(format(budget)) ms", format(time / budget, 2))
  }

  private static func pagesOfMessages(_ count: Int, _ channels: Int) -> [(String, MessageQuestion)] {
    let seventh = ChannelID(rawValue: 7)
    let middle = MessageID(rawValue: Int64(count / 2))
    // One of that channel.
    let own = MessageID(rawValue: Int64(count / 2 / channels * channels + 7))
    return [
      ("the newest 25", MessageQuestion(limit: 25)),
      ("the newest 100", MessageQuestion(limit: 100)),
      ("100 before one in the middle", MessageQuestion(place: .before(middle), limit: 100)),
      ("100 after one in the middle", MessageQuestion(place: .after(middle), limit: 100)),
      ("100 around one in the middle", MessageQuestion(place: .around(middle), limit: 100)),
      ("the newest 25 of one channel", MessageQuestion(channel: seventh, limit: 25)),
      ("the newest 100 of one channel", MessageQuestion(channel: seventh, limit: 100)),
      ("100 of one channel around one in the middle", MessageQuestion(channel: seventh, place: .around(own), limit: 100)),
      ("100 mentions, 1 in 1,000", MessageQuestion(isMention: true, limit: 100)),
      ("100 of one author", MessageQuestion(author: author(7), limit: 100)),
      ("100 with files, which none has", MessageQuestion(hasAttachments: true, limit: 100)),
    ]
  }

  private static func searches() -> [(String, MessageSearch)] {
    let seventh = ChannelID(rawValue: 7)
    return [
      ("a word that 1 in 100,000 has", MessageSearch(text: "needle", limit: 25)),
      ("a word that none has", MessageSearch(text: "haystack", limit: 25)),
      ("a word that all have, best first", MessageSearch(text: "characters", limit: 25)),
      ("a word that all have, newest first", MessageSearch(text: "characters", isNewestFirst: true, limit: 25)),
      ("a word that all have, in one channel", MessageSearch(text: "characters", channel: seventh, limit: 25)),
      ("two words next to each other that all have", MessageSearch(text: "\"most posts\"", limit: 25)),
      ("the beginning of a word, 1 in 9", MessageSearch(text: "1*", limit: 25)),
    ]
  }

  /// The daemon with these messages.
  private static func daemonWithMessages(_ folder: TemporaryFolder, _ count: Int) async throws {
    let started = ContinuousClock.now
    let daemon = try await daemon(folder)
    let time = seconds(ContinuousClock.now - started) * 1000
    row("\(count) messages: start to first answer", "\(format(time)) ms", "budget 2,000 ms", format(time / 2_000, 2))
    let client = try await BatonClient(socket: folder.path + "/c")
    try await measure("the same: a page of 100 over the socket", budget: 5) {
      _ = try await client.call(MessagesMethod.list, ["channelId": 7, "limit": 100])
    }
    try await measure("the same: the inbox over the socket, 25", budget: 10) {
      _ = try await client.call(MessagesMethod.inbox)
    }
    row(
      "the same: memory after that (resident)", "\(format(memory(daemon.pid), 1)) MiB", "budget 150 MiB",
      format(memory(daemon.pid) / 150, 2))
    await client.close()
    await stop(daemon)
  }

  // MARK: - Rows

  private static func fillChannels(_ folder: TemporaryFolder, _ channels: Int) async throws {
    let store = try Store(directory: folder.path + "/state")
    let identity = try store.identities()[0].id
    try await addFarRelays(to: store)
    try await store.commit(CommitRequest((1...channels).flatMap { settledChannel($0, of: identity, at: now) }))
    store.close()
  }

  private static func author(_ number: Int) -> String { hex("b", number) }

  private static func hex(_ digit: Character, _ number: Int) -> String {
    let digits = String(number)
    return String(repeating: digit, count: 64 - digits.count) + digits
  }

  /// One message every two seconds, in all channels in turn. The first half was there before the channels were read.
  private static func fillMessages(_ keeper: MessageKeeperStore, _ count: Int, _ channels: Int) async throws {
    let now = now
    func time(_ number: Int) -> Timestamp { now + .seconds(-2 * (count - number)) }
    for channel in 1...channels { try await keeper.begin(ChannelID(rawValue: Int64(channel)), since: time(count / 2)) }
    for start in stride(from: 1, through: count, by: 5_000) {
      let read = (start..<min(start + 5_000, count + 1)).map { number in
        let words = number.isMultiple(of: 100_000) ? "A needle. " : ""
        let message = ReadMessage(
          networkID: hex("c", number), author: author(number / channels % 50), text: words + text(number),
          createdAt: time(number), isMention: number.isMultiple(of: 1_000))
        return ReadNews(
          relay: RelayID(rawValue: Int64(number % 3 + 1)),
          news: MessageNews(
            channel: ChannelID(rawValue: Int64((number - 1) % channels + 1)), isLive: false, what: .message(message)))
      }
      _ = try await keeper.take(read, at: now, within: MessageLimits())
    }
  }
}
