public import ControlAPI
public import StrictJSON

/// An object that a live list can contain.
public protocol LiveElement: Codable, Hashable, Sendable, Identifiable where ID == Int64 {
  /// The revision, which grows with every change of the object.
  var revision: Int64 { get }
  /// The name of such objects in `org.batond.Monitor.Watch`.
  static var kind: String { get }
  /// Lists them: one page, the cursor of the next one, and the revision of the page.
  static func page(
    _ request: ListRequest, of client: BatonClient
  ) async throws -> (elements: [Self], next: String?, revision: Int64)
  /// The field that marks deleted objects, which are left out unless a filter asks for this field.
  static var deletion: (field: String, values: [JSONValue]) { get }
  /// The fields that change with the messages of a channel, not with the object itself.
  static var conversationFields: Set<String> { get }
  /// The object with the current figures of its conversation.
  func showing(_ conversation: Conversation) -> Self
}

extension LiveElement {
  public static var conversationFields: Set<String> { [] }
  public func showing(_ conversation: Conversation) -> Self { self }
}

extension Channel: LiveElement {
  public static var kind: String { "channel" }
  public static var deletion: (field: String, values: [JSONValue]) { ("phase", ["deleting", "deleted"]) }
  public static var conversationFields: Set<String> {
    ["lastMessageAt", "lastMessage", "unread", "unreadMentions", "memberCount", "hidden"]
  }

  public func showing(_ conversation: Conversation) -> Channel {
    var channel = self
    (channel.lastMessageAt, channel.lastMessage) = (conversation.lastMessageAt, conversation.lastMessage)
    (channel.unread, channel.unreadMentions) = (conversation.unread, conversation.unreadMentions)
    (channel.hidden, channel.memberCount) = (conversation.hidden, conversation.memberCount)
    return channel
  }

  public static func page(
    _ request: ListRequest, of client: BatonClient
  ) async throws -> (elements: [Channel], next: String?, revision: Int64) {
    let reply = try await client.channels.list(request)
    return (reply.channels, reply.nextCursor, reply.revision)
  }
}

extension Relay: LiveElement {
  public static var kind: String { "relay" }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }

  public static func page(
    _ request: ListRequest, of client: BatonClient
  ) async throws -> (elements: [Relay], next: String?, revision: Int64) {
    let reply = try await client.relays.list(request)
    return (reply.relays, reply.nextCursor, reply.revision)
  }
}

extension Server: LiveElement {
  public static var kind: String { "server" }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }

  public static func page(
    _ request: ListRequest, of client: BatonClient
  ) async throws -> (elements: [Server], next: String?, revision: Int64) {
    let reply = try await client.servers.list(request)
    return (reply.servers, reply.nextCursor, reply.revision)
  }
}

extension Operator: LiveElement {
  public static var kind: String { "operator" }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }

  public static func page(
    _ request: ListRequest, of client: BatonClient
  ) async throws -> (elements: [Operator], next: String?, revision: Int64) {
    let reply = try await client.operators.list(request)
    return (reply.operators, reply.nextCursor, reply.revision)
  }
}
