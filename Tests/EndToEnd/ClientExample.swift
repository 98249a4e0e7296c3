import BatonClient
import ControlAPI
import StrictJSON

// The examples of docs/client.md. A test holds that they are the same.

func makeAndList(socket: String) async throws {
  let client = try await BatonClient(socket: socket)
  let request = CreateChannel(profile: Profile(displayName: "From Swift"), pick: 2, idempotencyKey: "example-swift")
  var latest: Channel?
  for try await channel in try await client.channels.createAndFollow(request) { latest = channel }
  print(latest?.link ?? "no relay took it")
  for channel in try await client.channels.all(filter: ["phase": ["$in": ["degraded", "failed"]]]) {
    print(channel.profile.displayName, channel.summary)
  }
  await client.close()
}

func announce(socket: String, channel: Int64) async throws {
  let client = try await BatonClient(socket: socket)
  let request = PostsPublishRequest(channelId: channel, text: "We open at nine.", idempotencyKey: "opening-1")
  for try await reply in try await client.posts.publishAndFollow(request) { print(reply.post.summary) }
  for post in try await client.posts.list(PostsListRequest(channelId: channel, limit: 10)).posts { print(post.id, post.phase) }
  await client.close()
}

func readAlong(socket: String, channel: Int64) async throws {
  let client = try await BatonClient(socket: socket)
  let page = try await client.messages.list(MessagesListRequest(channelId: channel, limit: 50))
  for message in page.messages.reversed() { print(message.time, message.authorName ?? message.author, message.text) }
  let request = MessagesWatchRequest(channelIds: [channel], since: page.revision)
  for try await change in try await client.messages.watch(request) {
    if let message = change.message { print(message.id, message.deletedAt == nil ? message.text : "deleted") }
  }
}

func follow(socket: String) async throws {
  let list = try LiveList<Channel>(socket: socket, sort: [["field": "profile.displayName"]], pageSize: 50)
  await list.start()
  for await event in list.events {
    switch event {
    case .state(let state): print("list is", state)
    case .changes(let changes): for change in changes { print(change) }
    case .replaced(let channels): print("now", channels.count, "channels")
    }
  }
}
