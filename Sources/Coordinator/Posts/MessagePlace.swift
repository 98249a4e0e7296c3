public import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

/// Details of another person's message that a post is about.
public struct MessagePlace: Hashable, Sendable {
  /// The relays from which it was read.
  public var relays: [RelayID]
  /// The size of its text as JSON, in bytes.
  public var textBytes: Int
  /// Its date according to its author. `nil` in requests that an earlier version stored.
  public var createdAt: Timestamp?
  /// The people that it mentions, in the network's notation. They are notified of an answer.
  public var participants: [String]

  public init(relays: [RelayID], textBytes: Int, createdAt: Timestamp? = nil, participants: [String] = []) {
    self.relays = relays
    self.textBytes = textBytes
    self.createdAt = createdAt
    self.participants = participants
  }
}

// MARK: - As stored

extension MessagePlace {
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "relays": .array(relays.map { .integer($0.rawValue) }), "textBytes": .integer(Int64(textBytes)),
    ]
    if let createdAt { members["createdAt"] = .integer(createdAt.milliseconds) }
    if !participants.isEmpty { members["participants"] = .array(participants.map(JSONValue.string)) }
    return .object(members)
  }

  /// Reads the output of `json`. `nil` if it is anything else.
  init?(stored json: JSONValue) {
    guard let relays = json["relays"]?.array, let bytes = json["textBytes"]?.integer else { return nil }
    let ids = relays.compactMap { $0.integer.map(RelayID.init(rawValue:)) }
    guard ids.count == relays.count, (0...Int64(ReadMessage.textMax) * 6 + 2).contains(bytes) else { return nil }
    self.init(
      relays: ids, textBytes: Int(bytes), createdAt: json["createdAt"]?.integer.map(Timestamp.init(milliseconds:)),
      participants: json["participants"]?.array?.compactMap(\.string) ?? [])
  }
}

extension AboutMessage {
  var json: JSONValue {
    ["act": .string(act.rawValue), "networkId": .string(networkID), "author": .string(author)]
  }

  /// Reads the output of `json`. `nil` if it is anything else.
  init?(stored json: JSONValue) {
    guard let act = json["act"]?.string.flatMap(Act.init(rawValue:)), let networkID = json["networkId"]?.string,
      let author = json["author"]?.string
    else { return nil }
    self.init(act: act, networkID: networkID, author: author)
  }
}
