public import ControlAPI
public import StrictJSON

/// An object that a live list can contain.
public protocol LiveElement: Codable, Hashable, Sendable, Identifiable where ID == Int64 {
  /// The revision, which grows with every change of the object.
  var revision: Int64 { get }
  /// The name of such objects in `org.batond.Monitor.Watch`.
  static var kind: String { get }
  /// The method that lists them, and the name of the list in its replies.
  static var listing: (method: String, name: String) { get }
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
  public static var listing: (method: String, name: String) { (ChannelsMethod.list.rawValue, "channels") }
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
}

extension Relay: LiveElement {
  public static var kind: String { "relay" }
  public static var listing: (method: String, name: String) { (RelaysMethod.list.rawValue, "relays") }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }
}

extension Server: LiveElement {
  public static var kind: String { "server" }
  public static var listing: (method: String, name: String) { (ServersMethod.list.rawValue, "servers") }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }
}

extension Operator: LiveElement {
  public static var kind: String { "operator" }
  public static var listing: (method: String, name: String) { (OperatorsMethod.list.rawValue, "operators") }
  public static var deletion: (field: String, values: [JSONValue]) { ("deleted", [true]) }
}
