import BatonClient
import ControlAPI
import StrictJSON
import Varlink

// The examples of docs/client.md#programs-with-a-screen. A test checks that they are the same, and another runs them.

func findPeople(socket: String, typed: String) async throws -> [Person] {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  var (found, request) = ([Person](), PeopleListRequest(text: typed.isEmpty ? nil : typed, limit: 50))
  repeat {
    // A screen asks for the next page when its end comes into sight.
    let page = try await client.people.list(request)
    found += page.people
    request.cursor = page.nextCursor
  } while request.cursor != nil
  return found
}

func createGroup(socket: String, name: String, relay: Int64, people: [String]) async throws -> Channel {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  return try await client.channels.create(
    CreateChannel(profile: Profile(displayName: name), kind: "group", members: people, relayIds: [relay]))
}

func createChannel(socket: String, name: String, key: String) async throws -> Channel {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  let request = CreateChannel(profile: Profile(displayName: name), pick: 2, idempotencyKey: key)
  var latest: Channel?
  for try await channel in try await client.channels.createAndFollow(request) {
    // One line for each relay, as it changes.
    for relay in channel.relays { print(relay.relayName, relay.status, relay.cause ?? "") }
    latest = channel
  }
  guard let latest else { throw CancellationError() }
  return latest
}

func showChannelList(socket: String) async throws {
  let list = try LiveList<Channel>(
    socket: socket, filter: ["hidden": false], sort: [["field": "lastMessageAt", "direction": -1]], pageSize: 30)
  await list.start()
  for await event in list.events {
    guard case .changes(let changes) = event else { continue }
    for change in changes {
      switch change {
      case .insert(let channel, at: let row):
        print("insert", row, channel.profile.displayName, channel.lastMessage ?? "No messages")
      case .update(let channel, at: let row): print("update", row, channel.unread, channel.unreadMentions)
      case .move(_, let from, let to): print("move", from, to)
      case .remove(_, at: let row): print("remove", row)
      }
    }
    // A screen does this when its end comes into sight.
    if await list.hasMore { try await list.loadNext() }
  }
}

func readChannel(socket: String, name: String) async throws -> (channel: Channel, messages: [Message]) {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  let channel = try await client.channels.get(name: name)
  // What is stored is there at once; the relays are asked for what is missing only here.
  _ = try await client.messages.sync(channelId: channel.id, timeout: 10)
  return (channel, try await client.messages.list(MessagesListRequest(channelId: channel.id, limit: 25)).messages)
}

func showConversation(socket: String, channel: Int64) async throws {
  let messages = LiveMessages(channelID: channel, socket: socket, pageSize: 25)
  await messages.start()
  for await event in messages.events {
    switch event {
    case .state(let state): print("conversation is", state)
    case .changes(let changes): print(changes.count, "changes")
    case .replaced(let all): print("now", all.count, "messages")
    case .conversation(let conversation): print(conversation.unread, "unread,", conversation.unreadMentions, "of them for us")
    }
    // A screen does this when its first message comes into sight.
    if await messages.hasOlder { try await messages.loadOlder() }
  }
}

func answerWhatIsUnread(socket: String, channel: Int64) async throws {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  let page = try await client.messages.list(MessagesListRequest(channelId: channel, own: false, mention: true))
  for message in page.messages where message.id > page.conversation?.readThrough ?? 0 {
    let answer = PostsPublishRequest(
      channelId: channel, text: "Thank you!", idempotencyKey: "thanks \(message.id)", replyToMessage: Int(message.id))
    _ = try await client.posts.publish(answer)
    _ = try await client.posts.react(PostsReactRequest(reaction: "+", messageId: message.id))
  }
  _ = try await client.messages.markRead(channelId: channel)
}

func actOnChannel(socket: String, channel: Int64) async throws {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  _ = try await client.channels.setMuted(id: channel, muted: true)
  _ = try await client.channels.setPinned(id: channel, pinned: true)
  _ = try await client.channels.setFrozen(id: channel, frozen: true)
  do {
    _ = try await client.posts.publish(PostsPublishRequest(channelId: channel, text: "No one reads this."))
  } catch let error as VarlinkError {
    if case .channelFrozen(let id) = PostsRefusal(error) { print("channel", id, "is frozen") }
  }
  _ = try await client.channels.setFrozen(id: channel, frozen: false)
  _ = try await client.channels.setHidden(id: channel, hidden: true, clearHistory: true)
  _ = try await client.channels.truncate(id: channel)
}

func listByCustomData(socket: String) async throws -> [Channel] {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  return try await client.channels.all(filter: [
    "$and": [["custom.state": "LA"], ["custom.team": ["$in": ["desk", "sport"]]], ["kind": "channel"]]
  ])
}

func showMembers(socket: String, channel: Int64) async throws {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  let admins = MembersListRequest(channelId: channel, role: "admin", order: "name", limit: 30)
  for member in try await client.members.list(admins).members { print(member.name ?? member.author, member.roles) }
  let list = LiveMembers(channelID: channel, socket: socket)
  await list.start()
  for await event in list.events {
    guard case .changes(let changes) = event else { continue }
    for change in changes {
      switch change {
      case .insert(let member, at: let row): print("insert", row, member.name ?? member.author)
      case .update(let member, at: let row): print("update", row, member.roles)
      case .move(_, let from, let to): print("move", from, to)
      case .remove(_, at: let row): print("remove", row)
      }
    }
  }
}

func whoWrites(socket: String, channel: Int64) async throws -> [Person] {
  let client = try await BatonClient(socket: socket)
  defer { Task { await client.close() } }
  let people = try await client.people.list(PeopleListRequest(channelId: channel, limit: 30)).people
  for person in people { print(person.name ?? person.author, person.messages, person.lastMessageAt ?? "never") }
  return people
}
