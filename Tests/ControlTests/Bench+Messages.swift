import BatonClient
import Channels
import ControlAPI
import Storage
import Store
import TestSupport

@testable import Coordinator

// What others say in channels.
extension Bench {
  /// A bench that reads messages, with relays r1 and r2 and these channels on both, which have the ids 1, 2, …
  static func reading(_ channels: [String] = ["News"]) async throws -> Bench {
    let bench = try await Bench(readsMessages: true)
    _ = try await bench.addRelays(2)
    for (index, name) in channels.enumerated() {
      _ = try await bench.create(name)
      try await bench.begin(Int64(index + 1))
    }
    return bench
  }

  private var keeper: MessageKeeperStore {
    get throws {
      guard let messages else { throw Violation("this bench reads no messages") }
      return MessageKeeperStore(messages)
    }
  }

  /// Begins the conversation of a channel, unless it has begun.
  func begin(_ channel: Int64) async throws {
    try await keeper.begin(ChannelID(rawValue: channel), since: coordinator.now)
  }

  /// The time so many seconds after an early one.
  static func time(_ second: Double) -> Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + Int64(second * 1000)) }

  /// What was read from a relay.
  static func read(
    _ news: [MessageNews.What], in channel: Int64 = 1, from relay: Int64? = 1, isLive: Bool = true
  ) -> [ReadNews] {
    news.map { what in
      ReadNews(
        relay: relay.map(RelayID.init(rawValue:)),
        news: MessageNews(channel: ChannelID(rawValue: channel), isLive: isLive, what: what))
    }
  }

  /// Stores what a relay serves, at this second.
  /// - Parameter isLive: whether it came as it was said.
  func hear(
    _ news: [MessageNews.What], in channel: Int64 = 1, from relay: Int64? = 1, isLive: Bool = true, at second: Double,
    within limits: MessageLimits = MessageLimits()
  ) async throws {
    let read = Self.read(news, in: channel, from: relay, isLive: isLive)
    let receipt = try await keeper.take(read, at: Self.time(second), within: limits)
    coordinator.messageHub.publish(receipt.revision)
  }

  /// Stores messages that others wrote, one in each second, with these names and texts.
  func hear(_ names: [String], in channel: Int64 = 1, by author: String = "alice", from second: Double) async throws {
    for (index, name) in names.enumerated() {
      let time = second + Double(index)
      try await hear([Self.said(name, by: author, at: time)], in: channel, at: time)
    }
  }

  /// A message.
  /// - Parameter text: its name, if it is `nil`.
  static func said(
    _ name: String, _ text: String? = nil, by author: String = "alice", at second: Double, isMention: Bool = false
  ) -> MessageNews.What {
    .message(
      ReadMessage(networkID: name, author: author, text: text ?? name, createdAt: time(second), isMention: isMention))
  }

  /// Returns once everything about messages that came before is done.
  func settleMessages() async throws { try await coordinator.messageBarrier() }

  /// All messages, by their names on the network; own posts without one are left out.
  func named() async throws -> [String: Message] {
    var (named, request, hasOlder) = ([String: Message](), MessagesListRequest(deleted: true, limit: 100), true)
    while hasOlder {
      let page = try await client.messages.list(request)
      for message in page.messages { if let name = message.networkId { named[name] = message } }
      (hasOlder, request.before) = (page.hasOlder, page.messages.last.map { Int($0.id) })
    }
    return named
  }
}
