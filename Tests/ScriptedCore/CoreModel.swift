public import StrictJSON

/// A SimpleX Chat core as far as channels go, as a value: no I/O, no clock, nothing at random. Commands go in
/// as text, answers come out as JSON, and events gather in one queue for whoever is there.
public struct CoreModel: Sendable {
  /// An event in the life of one relay of a channel.
  enum Stage: Hashable, Sendable {
    case accept, acknowledge, publish, fail, reject, rejectRoster, mismatch, leave, loseLink
  }

  /// A pending step of one relay of a channel; `row` 0 means the channel itself.
  struct Pending: Hashable, Sendable {
    let group: Int64
    let row: Int64
    var stages: [Stage]
    let wait: Int
    var turns: Int
  }

  struct User: Hashable, Sendable {
    let id: Int64
    let name: String
  }

  /// A relay of a channel: a row of the core's table and the member that goes with it.
  struct RelayRow: Hashable, Sendable {
    let id: Int64
    let member: Int64
    let relay: Int64
    var status = "new"
    var memberStatus = "invited"
    var connection: JSONValue = ["type": "joined"]
    var link: String?
  }

  /// A member who is no relay.
  struct Person: Hashable, Sendable {
    var role = "observer"
    var isBlocked = false
  }

  struct Group: Hashable, Sendable {
    /// The number in the core's table: that of the newest group is given out again once it is gone.
    let id: Int64
    /// The source of its keys and links; never used twice.
    let serial: Int64
    let user: Int64
    let createdAt: Int64
    var profile: JSONValue
    var rows: [RelayRow] = []
    /// Whether the link was not yet published for the first time.
    var isInProgress = true
    /// The role of a relay in someone else's channel; nil for an owner.
    var ownStatus: String?
    /// The role of the user.
    var role = "owner"
    /// The status of the user.
    var status = "creator"
    /// Whether joining it was begun; nil if it is the user's own.
    var isJoinStarted: Bool?
    var items: [Item] = []
    /// Members who are no relays, by number.
    var people: [Int64: Person] = [:]

    /// Compares as SQLite does: stored text is lower-cased in ASCII only, searched text completely.
    func isFound(by search: String) -> Bool {
      let wanted = search.lowercased()
      return ["displayName", "fullName", "shortDescr", "description"].contains { key in
        guard let text = profile[key]?.string else { return false }
        return wanted.isEmpty || String(text.map { $0.isASCII ? Character($0.lowercased()) : $0 }).contains(wanted)
      }
    }
  }

  /// The version that the core reports.
  public var version = "7.0.2.0"
  /// The behaviour of relays by address; the others are good.
  public var behaviours: [String: RelayBehaviour] = [:]
  /// The failures of servers whose test fails, by address as written in the command.
  public var serverFailures: [String: JSONValue] = [:]
  /// The number of pending steps that happen before the answer to the command that caused them.
  public var stepsBeforeReply = 0
  /// Whether all pending steps happen right after the answer, rather than at `step` and `settle`.
  public var settlesAtOnce = true
  /// Queues that creations left at servers because their names were refused.
  public internal(set) var queuesLeftBehind = 0
  /// Subscribers of every channel, and the picture of each: a list of members has all of them.
  public var subscribers: (count: Int, image: String) = (0, "")
  /// How many readers relays have counted; `nil` if they report no number.
  public var publicMemberCount: Int64?
  /// How posts fare on their way to relays, by address; the others are good.
  public var deliveries: [String: DeliveryBehaviour] = [:]
  /// How files fare that go along with posts, by path; the others are there and are uploaded.
  public var files: [String: FileBehaviour] = [:]
  /// The number of commands about posts for which the database is busy.
  public var busyCommands = 0
  /// Events that no one has taken yet.
  public internal(set) var events: [JSONValue] = []
  /// Milliseconds since the core started for the first time.
  public internal(set) var now: Int64 = 0

  var users: [User] = []
  var activeUser: Int64?
  var operators: [JSONValue] = []
  /// Servers and relays of the (one) user, as the core lists them.
  var serverGroups: [JSONValue] = []
  var groups: [Group] = []
  var pending: [Pending] = []
  /// Posts on their way to relays, in order.
  var outgoing: [Outgoing] = []
  /// Files that are to be uploaded, in order.
  var uploads: [Upload] = []
  var nextItem: Int64 = 1
  var isRunning = true
  var nextID: Int64 = 1
  var nextCleanup: Int64 = 30_000
  var relayProfiles: [Int64: JSONValue] = [:]
  /// Channels of others, by their links.
  var offers: [String: Offer] = [:]

  /// - Parameters:
  ///   - userName: the user that the core starts with; nil for none.
  ///   - relays: addresses of the user's own relays; their numbers count from 1.
  public init(userName: String? = "owner", relays: [String] = []) {
    if let userName {
      users = [User(id: 1, name: userName)]
      activeUser = 1
    }
    let entries = relays.enumerated().map { index, address in
      Self.relay(id: Int64(index + 1), address: address, name: "Relay \(index + 1)")
    }
    serverGroups = [Self.serverGroup(relays: entries)]
    nextID = Int64(relays.count + 1)
  }

  mutating func makeID() -> Int64 {
    defer { nextID += 1 }
    return nextID
  }

  /// Carries out one command.
  /// - Parameter text: the command line.
  /// - Returns: the answer.
  public mutating func execute(_ text: String) -> JSONValue {
    guard let command = ModelCommand(text) else { return CoreErrors.answer(CoreErrors.command("Failed reading: empty")) }
    return execute(command)
  }

  /// Numbers of the channels that are there.
  public var channels: [Int64] { groups.map(\.id) }

  /// Takes the events that no one has taken yet.
  public mutating func takeEvents() -> [JSONValue] {
    defer { events = [] }
    return events
  }

  /// The relays of a channel by address: their status in the core's words.
  public func statuses(of channel: Int64) -> [String: String] {
    let rows = groups.first { $0.id == channel }?.rows ?? []
    return Dictionary(rows.map { (address(of: $0.relay), $0.status) }) { _, last in last }
  }

  /// Moves the clock. The core's own cleaning runs 30 seconds after its start and then every 30 minutes; it deletes, without a
  /// word, channels that are in progress for more than 30 minutes.
  public mutating func advance(by duration: Duration) {
    let end = now + duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    while nextCleanup <= end {
      let time = nextCleanup
      let dropped = Set(groups.filter { $0.isInProgress && time - $0.createdAt > 30 * 60_000 }.map(\.id))
      groups.removeAll { dropped.contains($0.id) }
      pending.removeAll { dropped.contains($0.group) }
      pending.removeAll { step in !groups.contains { $0.id == step.group } }
      nextCleanup += 30 * 60_000
    }
    now = end
  }

  /// The process ends and starts again: events that no one took are lost, the database stays.
  public mutating func restart() {
    events = []
    isRunning = true
    nextCleanup = now + 30_000
  }
}
