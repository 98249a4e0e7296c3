public import Channels
internal import Secrets
internal import StrictJSON

/// NIP-29 groups: one relay keeps the group and signs its state, admins send it the changes.
public enum RelayGroup {
  public static let metadataKind = 39000
  public static let adminsKind = 39001
  static let pinsKind = 39005

  /// A request that an admin may send to a relay.
  enum Request: Int {
    case putUser = 9000
    case removeUser = 9001
    case editMetadata = 9002
    case create = 9007
    case delete = 9008
    case editPins = 9010
  }

  /// The profile of a group, as admins send it and as a relay shows it, and the profile in the events of public channels.
  public struct Metadata: Hashable, Sendable {
    public var name: String
    public var about: String
    public var picture: String
    /// The actions that are reserved for members of a group.
    public var access: Set<GroupAccess>

    public init(name: String, about: String, picture: String, access: Set<GroupAccess> = []) {
      self.access = access
      self.name = name
      self.about = about
      self.picture = picture
    }

    /// Reads a kind 39000 event. Missing parts are empty.
    public init(_ event: NostrEvent) {
      let flags = Set(event.tags.compactMap(\.first))
      self.init(
        name: event.tag("name") ?? "", about: event.tag("about") ?? "", picture: event.tag("picture") ?? "",
        access: Set(GroupAccess.allCases.filter { flags.contains($0.rawValue) }))
    }

    /// Reads a text that `text` wrote, or the content of a kind 40 or 41 event. Missing parts are empty, but without a name it is `nil`.
    init?(text: String) {
      guard let json = try? JSONParser.parse(text), let name = json["name"]?.string else { return nil }
      self.init(
        name: name, about: json["about"]?.string ?? "", picture: json["picture"]?.string ?? "",
        access: Set((json["access"]?.array ?? []).compactMap { $0.string.flatMap(GroupAccess.init(rawValue:)) }))
    }

    /// The form in which a group's profile is stored. It is signed when it is sent.
    var text: String {
      var members: [String: JSONValue] = ["name": .string(name), "about": .string(about), "picture": .string(picture)]
      if !access.isEmpty { members["access"] = .array(access.map(\.rawValue).sorted().map(JSONValue.string)) }
      return JSONValue.object(members).text
    }

    /// Whether a relay shows this. It may keep more to members than was asked for.
    func isShown(as shown: Metadata) -> Bool {
      (name, about, picture) == (shown.name, shown.about, shown.picture) && access.isSubset(of: shown.access)
    }
  }

  /// An id that no one can guess: 32 characters that every relay accepts.
  static func randomID() -> String { Hex.encode(SystemRandom.bytes(16)) }

  /// Whether a text can be the id of a group. NIP-29 allows `a-z0-9-_`. Some relays have capital letters and dots in their ids, too.
  static func isID(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  static func creation(of id: String) -> OutgoingEvent { draft(.create, id) }
  static func deletion(of id: String) -> OutgoingEvent { draft(.delete, id) }

  /// Sets all fields, because fields that are not named are removed. Everyone may read the group, and join unless it is closed. `public`
  /// and `open` declare this to relays from before the flags were turned round.
  static func edition(of id: String, _ metadata: Metadata) -> OutgoingEvent {
    var tags = [["name", metadata.name], ["about", metadata.about]]
    if !metadata.picture.isEmpty { tags.append(["picture", metadata.picture]) }
    let access = metadata.access.map(\.rawValue).sorted().map { [$0] }
    return draft(.editMetadata, id, tags + [["public"]] + (metadata.access.contains(.closed) ? [] : [["open"]]) + access)
  }

  /// Sets the whole list of pinned posts.
  /// - Parameter reason: the reason that the group's admins see. It may be empty.
  static func pins(of id: String, _ list: PinnedPosts, reason: String) -> (kind: Int, tags: [[String]], content: String) {
    (Request.editPins.rawValue, [["h", id]] + list.entries, reason)
  }

  private static func draft(_ request: Request, _ id: String, _ tags: [[String]] = []) -> OutgoingEvent {
    .draft(kind: request.rawValue, tags: [["h", id]] + tags, content: "")
  }

  /// The link that readers open (NIP-21 with an naddr of NIP-19).
  public static func link(id: String, author: String, relays: [String]) -> String {
    "nostr:"
      + NIP19.naddr(identifier: id, relays: Array(relays.prefix(1)), author: author, kind: UInt32(metadataKind)).text
  }
}
