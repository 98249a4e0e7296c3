internal import StrictJSON

// What someone finds and does who has the core's own window open.
extension CoreModel {
  /// A channel as the core has it.
  public struct Seen: Hashable, Sendable {
    /// One row of the channel's relays.
    public struct Relay: Hashable, Sendable {
      public let address: String
      /// In the core's words.
      public let status: String
    }
    public let id: Int64
    /// The number and the public id, as Baton names the channel: `5/public-17`.
    public let name: String
    public let user: Int64
    public let displayName: String
    public let link: String
    public let relays: [Relay]
  }

  /// A post as the core and the relays have it.
  public struct SeenItem: Hashable, Sendable {
    public let id: Int64
    public let sharedID: String
    public let text: String
    public let isDeleted: Bool
    /// How the core's user reacted to it, in the order in which that happened.
    public let reactions: [String]
    /// The path of its file.
    public let file: String?
    /// The addresses of the relays that give it to new readers.
    public let relays: [String]
  }

  /// The posts of a channel, oldest first.
  public func itemsSeen(of channel: Int64) -> [SeenItem] {
    guard let group = groups.first(where: { $0.id == channel }) else { return [] }
    return group.items.map { item in
      SeenItem(
        id: item.id, sharedID: item.sharedID, text: item.content["text"]?.string ?? "", isDeleted: item.deletedAt != nil,
        reactions: item.reactions,
        file: item.file?.path,
        relays: group.rows.filter { item.holders.contains($0.member) }
          .map { address(of: $0.relay) })
    }
  }

  /// All channels, of all users.
  public var channelsSeen: [Seen] {
    groups.map { group in
      Seen(
        id: group.id, name: "\(group.id)/\(group.profile["publicGroup"]?["publicGroupId"]?.string ?? "")", user: group.user,
        displayName: group.profile["displayName"]?.string ?? "",
        link: group.profile["publicGroup"]?["groupLink"]?.string ?? "",
        relays: group.rows.map { row in
          Seen.Relay(address: address(of: row.relay), status: row.status)
        })
    }
  }

  /// Whose channels commands are about.
  public var activeUserID: Int64? { activeUser }

  /// A channel is gone without a word, as after the core's own cleaning.
  public mutating func lose(channel id: Int64) {
    groups.removeAll { $0.id == id }
    pending.removeAll { $0.group == id }
  }

  /// Someone forbids reactions in the channel.
  public mutating func forbidReactions(channel id: Int64) {
    guard let index = groups.firstIndex(where: { $0.id == id }), var profile = groups[index].profile.object else { return }
    var preferences = profile["groupPreferences"]?.object ?? [:]
    preferences["reactions"] = ["enable": "off"]
    profile["groupPreferences"] = .object(preferences)
    groups[index].profile = .object(profile)
  }

  /// Relays that stayed silent wake up and accept the channels that they were invited to.
  public mutating func acceptLate() {
    for group in groups {
      for row in group.rows where row.status == "invited" && row.connection["type"] == "joined" {
        guard !pending.contains(where: { $0.row == row.id }) else { continue }
        pending.append(Pending(group: group.id, row: row.id, stages: RelayBehaviour.good.stages, wait: 0, turns: 0))
      }
    }
  }
}
