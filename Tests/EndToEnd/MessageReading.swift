import BatonClient
import StrictJSON
import TestTools
import Testing

/// What a client knows that watches messages.
struct WatchedMessages {
  /// By id, as they were last sent.
  private(set) var messages: [Int64: JSONValue] = [:]
  /// By the id of their channel.
  private(set) var conversations: [Int64: JSONValue] = [:]
  private(set) var revision: Int64 = 0
  /// The ids of the messages that were sent, as often as that happened.
  private(set) var sent: [Int64] = []

  /// The texts of all messages that were not deleted.
  var texts: [String] { present.values.compactMap { $0["text"]?.string } }

  /// The messages that were not deleted. One of our own in a group may have been there twice: it is deleted under the second id as soon as
  /// it is known what the post is called.
  var present: [Int64: JSONValue] { messages.filter { $0.value["deletedAt"] == nil } }

  /// The message with this text.
  func message(_ text: String) -> JSONValue? { messages.values.first { $0["text"]?.string == text } }

  mutating func take(_ reply: [String: JSONValue]) {
    if let message = reply["message"], let id = message["id"]?.integer {
      messages[id] = message
      sent.append(id)
    }
    if let conversation = reply["conversation"], let channel = conversation["channelId"]?.integer {
      conversations[channel] = conversation
    }
    let next = reply["revision"]?.integer ?? 0
    #expect(next >= revision, "what was sent never goes back")
    revision = next
  }

  /// Forgets which messages were sent, but not what they say.
  mutating func forgetSent() { sent = [] }
}

extension Installation {
  /// Calls a method of `org.batond.Messages`.
  func messages(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws -> [String: JSONValue] {
    let client = try await client()
    let reply = try await client.call("org.batond.Messages." + method, parameters)
    await client.close()
    return reply
  }

  /// Watches on from what is known already, until `isDone`.
  func watchMessages(
    from known: WatchedMessages = WatchedMessages(), until isDone: (WatchedMessages) -> Bool
  ) async throws -> WatchedMessages {
    var known = known
    guard !isDone(known) else { return known }
    let client = try await client()
    for try await reply in try await client.stream("org.batond.Messages.Watch", ["since": .integer(known.revision)]) {
      known.take(reply)
      guard isDone(known) else { continue }
      await client.close()
      return known
    }
    throw Program.Ended(description: "the watch ended")
  }

  /// Asks the relays of a channel, and waits for them.
  /// - Returns: the reply.
  @discardableResult
  func sync(_ channel: Int64 = 1, isComplete: Bool = true) async throws -> [String: JSONValue] {
    let reply = try await messages("Sync", ["channelId": .integer(channel), "timeout": 120])
    #expect(reply["complete"]?.bool == isComplete, "\(reply)")
    return reply
  }

  func conversation(_ channel: Int64 = 1) async throws -> JSONValue {
    try #require(try await messages("List", ["channelId": .integer(channel), "limit": 1])["conversation"])
  }

  /// A page of messages, the last one first.
  /// - Parameter place: `before`, `after` or `around` with an id; the newest page if it is empty.
  private func page(
    _ channel: Int64, _ place: [String: JSONValue], limit: Int64, isDeletedShown: Bool
  ) async throws -> (messages: [JSONValue], hasOlder: Bool, hasNewer: Bool) {
    let basics: [String: JSONValue] = [
      "channelId": .integer(channel), "limit": .integer(limit), "deleted": .bool(isDeletedShown),
    ]
    let reply = try await messages("List", place.merging(basics) { own, _ in own })
    let messages = try #require(reply["messages"]?.array)
    #expect(messages.count <= limit)
    return (messages, reply["hasOlder"]?.bool == true, reply["hasNewer"]?.bool == true)
  }

  /// All messages of a channel, the first one first. They are read backwards and forwards and around one in the middle, which must give the
  /// same, each message once. Nothing may arrive meanwhile.
  func allMessages(of channel: Int64 = 1, isDeletedShown: Bool = false) async throws -> [JSONValue] {
    func id(_ message: JSONValue?) -> JSONValue { message?["id"] ?? .null }
    var backwards: [JSONValue] = []
    var place: [String: JSONValue] = [:]
    while true {
      let page = try await page(channel, place, limit: 41, isDeletedShown: isDeletedShown)
      #expect(page.hasNewer == !backwards.isEmpty)
      backwards += page.messages
      guard page.hasOlder else { break }
      try #require(!page.messages.isEmpty, "a page with others before it holds one")
      place = ["before": id(page.messages.last)]
    }
    let all = Array(backwards.reversed())
    #expect(Set(all.map(id)).count == all.count, "nothing is there twice")
    let names = all.compactMap { $0["networkId"]?.string }
    #expect(Set(names).count == names.count, "nothing is there twice")
    guard var last = all.first else { return [] }

    var forwards = [last]
    while true {
      let page = try await page(channel, ["after": id(last)], limit: 29, isDeletedShown: isDeletedShown)
      forwards += page.messages.reversed()
      guard page.hasNewer else { break }
      last = try #require(page.messages.first, "a page with others after it holds one")
    }
    #expect(forwards.map(id) == all.map(id), "\(forwards.count) forwards, \(all.count) backwards")

    let middle = all.count / 2
    let around = try await page(channel, ["around": id(all[middle])], limit: 25, isDeletedShown: isDeletedShown)
    let shown = Array(around.messages.reversed()).map(id)
    let first = try #require(all.map(id).firstIndex(of: shown.first ?? .null))
    #expect(shown.contains(id(all[middle])) && all.map(id)[first...].starts(with: shown), "\(shown)")
    #expect(around.hasOlder == (first > 0) && around.hasNewer == (first + shown.count < all.count))
    return all
  }

  /// What independent readers find of a channel at its relays: the numbers of the relays that serve each message, from 1, by the id of the
  /// message; without those that their authors deleted at one of them.
  func served(in channel: String, at relays: [String]) async throws -> [String: Set<Int64>] {
    var (places, authors): ([String: Set<Int64>], [String: JSONValue]) = ([:], [:])
    var deleted: [String: [JSONValue]] = [:]
    for (index, relay) in relays.enumerated() {
      for event in try await posts(of: channel, at: relay) {
        guard let id = event["id"]?.string else { continue }
        places[id, default: []].insert(Int64(index + 1))
        authors[id] = event["pubkey"]
      }
      for event in try await events(at: relay, ["kinds": [5]]) {
        for tag in event["tags"]?.array ?? [] {
          guard tag.array?.first == "e", let id = tag.array?.dropFirst().first?.string else { continue }
          deleted[id, default: []].append(event["pubkey"] ?? .null)
        }
      }
    }
    return places.filter { id, _ in !(deleted[id] ?? []).contains { $0 == authors[id] } }
  }

  /// Expects that the daemon lists what the relays serve together, and says which of them serve what.
  /// - Returns: what it lists.
  @discardableResult
  func expectServed(in channel: String, at relays: [String]) async throws -> [JSONValue] {
    let (all, served) = (try await allMessages(), try await served(in: channel, at: relays))
    let listed = Dictionary(all.compactMap { message in message["networkId"]?.string.map { ($0, message) } }) { first, _ in
      first
    }
    let (missing, surplus) = (Set(served.keys).subtracting(listed.keys), Set(listed.keys).subtracting(served.keys))
    #expect(
      missing.isEmpty && surplus.isEmpty, "\(missing.count) are missing of \(served.count), and \(surplus.count) are too many")
    #expect(all.count == listed.count, "each has a name")
    for (id, message) in listed {
      let places = Set((message["relayIds"]?.array ?? []).compactMap(\.integer))
      #expect(places == served[id] ?? [], "\(message["text"] ?? .null)")
    }
    return all
  }
}

extension JSONValue {
  /// Of a conversation: what is known of each relay, by its id.
  var freshness: [Int64: JSONValue] {
    Dictionary((self["relays"]?.array ?? []).map { ($0["relayId"]?.integer ?? 0, $0) }) { first, _ in first }
  }
}
