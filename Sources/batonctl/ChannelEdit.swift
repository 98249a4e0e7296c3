internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct ChannelEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a channel's profile and settings",
    discussion: """
      Active relays receive a new name, description or image immediately, other relays as soon as they are back. batonctl \
      channel show shows which relays have it. Readers see nothing of the other settings.

      Examples:
        batonctl channel edit "City News" --description "News at nine"
        batonctl channel edit "City News" --mute --keep-messages 5000
      """)

  enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

  /// A number, or the daemon's option.
  enum Limit: ExpressibleByArgument {
    case number(Int)
    case standard

    init?(argument: String) {
      if argument == "default" {
        self = .standard
      } else if let number = Int(argument) {
        self = .number(number)
      } else {
        return nil
      }
    }

    static func value(_ wanted: Self?, instead present: Int?) -> Int? {
      switch wanted {
      case .number(let number)?: number
      case .standard?: nil
      case nil: present
      }
    }

    static func check(_ wanted: Self?, _ allowed: ClosedRange<Int>, _ option: String) throws {
      guard case .number(let number)? = wanted, !allowed.contains(number) else { return }
      throw ValidationError("\(option) must be \(allowed.lowerBound) to \(allowed.upperBound), or default.")
    }
  }

  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Option(help: "New name.") var name: String?
  @Option(name: .customLong("full-name"), help: "New longer name, '' to remove it.") var fullName: String?
  @Option(help: "New description, '' to remove it.") var description: String?
  @Option(help: "New image, a PNG, JPEG or WebP file.", completion: .file()) var image: String?
  @Flag(name: .customLong("no-image"), help: "Remove the image.") var noImage = false
  @Option(help: "Replacement of relays that fail for good: on or off.") var heal: Switch?
  @Option(help: "KEY=VALUE to store with the channel, KEY= to remove it. May be repeated.") var custom: [String] = []
  @Flag(inversion: .prefixedNo, help: "Leave the channel out of batonctl inbox --unread. Its messages still count.") var mute:
    Bool?
  @Flag(inversion: .prefixedNo, help: "Pin the channel: batonctl channel list --sort=-pinned lists it first.") var pin: Bool?
  @Flag(inversion: .prefixedNo, help: "Leave the channel out of batonctl inbox until a message arrives.") var hide: Bool?
  @Flag(help: "With --hide: also delete its messages here, as batonctl channel truncate does.") var clear = false
  @Flag(
    inversion: .prefixedNo,
    help: """
      Publish nothing in the channel. Baton refuses posts, edits, reactions, pins and imports, and still delivers and \
      deletes posts that it accepted before. On Nostr other people can still write there.
      """) var freeze: Bool?
  @Flag(inversion: .prefixedNo, help: "Read the messages of the channel.") var read: Bool?
  @Option(
    name: .customLong("read-days"),
    help: "Maximum age of messages to read back, in days, 0 to 36500 (0: any age), or default for messages.days.")
  var readDays: Limit?
  @Option(
    name: .customLong("read-count"),
    help: "Number of newest messages to read back from one relay, 1 to 100000, or default for messages.count.")
  var readCount: Limit?
  @Option(
    name: .customLong("keep-messages"),
    help: "Number of other people's messages to keep, the latest ones, 1 to 100000, or default for messages.keep.")
  var keepMessages: Limit?
  @Flag(help: "Do not ask for confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  private var changesProfile: Bool {
    name != nil || fullName != nil || description != nil || image != nil || noImage || heal != nil || !custom.isEmpty
  }

  private var changesReading: Bool { read != nil || readDays != nil || readCount != nil || keepMessages != nil }

  func validate() throws {
    guard image == nil || !noImage else { throw ValidationError("--image and --no-image cannot be combined.") }
    guard !clear || hide == true else { throw ValidationError("--clear needs --hide.") }
    _ = try CustomData(custom)
    try Limit.check(readDays, 0...36_500, "--read-days")
    try Limit.check(readCount, 1...100_000, "--read-count")
    try Limit.check(keepMessages, 1...100_000, "--keep-messages")
    if read == false, [readDays, readCount].contains(where: { if case .number? = $0 { true } else { false } }) {
      throw ValidationError("--no-read excludes --read-days and --read-count.")
    }
    guard changesProfile || changesReading || mute != nil || pin != nil || hide != nil || freeze != nil else {
      throw ValidationError("Name a change, such as --name or --description.")
    }
  }

  func run() async throws {
    try await global.connected { session in
      let found = try await session.channel(channel)
      if clear {
        try session.confirm(
          "Delete all messages of channel \(found.id) '\(found.profile.displayName)' here?", isDefault: false, yes: yes)
      }
      var changed = found
      var sentences: [String] = []
      do {
        if changesProfile {
          changed = try await changeProfile(of: found.id, session)
          sentences.append("The profile of channel \(found.id) is changed.")
        }
        try await changeSettings(&changed, &sentences, session.client)
      } catch {
        // Each setting is a call of its own, and the earlier ones hold.
        if !sentences.isEmpty { session.ending.warn("local.EditIncomplete", sentences.joined(separator: " ")) }
        throw error
      }
      guard !changesProfile else { return try await session.showDetails(of: changed) }
      try session.show(changed) { sentences.joined(separator: "\n") }
    }
  }

  private func changeProfile(of id: Int64, _ session: Session) async throws -> Channel {
    let picture = noImage ? "" : try image.map(ImageFile.dataURL)
    return try await session.changing {
      // The current channel: its custom data is sent back with the changes.
      try await session.raw.channels.get(id: id)
    } _: {
      try await session.client.channels.update(
        UpdateChannel(
          id: $0.id, revision: custom.isEmpty ? nil : $0.revision, displayName: name, fullName: fullName,
          description: description, image: picture,
          heal: heal.map { $0 == .on }, custom: data(with: $0.custom)))
    }
  }

  private func data(with present: JSONValue?) throws -> JSONValue? {
    guard !custom.isEmpty else { return nil }
    var members = present?.object ?? [:]
    for (key, value) in try CustomData(custom).members { members[key] = value.isEmpty ? nil : .string(value) }
    return .object(members)
  }

  /// Changes the settings one by one.
  /// - Parameter sentences: gets one for each changed setting.
  private func changeSettings(
    _ channel: inout Channel, _ sentences: inout [String], _ client: BatonClient
  ) async throws {
    let id = channel.id
    if let mute {
      channel = try await client.channels.setMuted(id: id, muted: mute)
      sentences.append("Channel \(id) is \(mute ? "muted" : "not muted").")
    }
    if let pin {
      channel = try await client.channels.setPinned(id: id, pinned: pin)
      sentences.append("Channel \(id) is \(pin ? "pinned" : "not pinned").")
    }
    if let freeze {
      channel = try await client.channels.setFrozen(id: id, frozen: freeze)
      let others = freeze && !channel.frozenEnforced ? ", but other people can still write there" : ""
      sentences.append("Channel \(id) is \(freeze ? "frozen" : "not frozen")\(others).")
    }
    if changesReading {
      channel = try await client.channels.setFollowing(
        ChannelsSetFollowingRequest(
          id: id, followed: read ?? channel.followed, days: Limit.value(readDays, instead: channel.followDays),
          count: Limit.value(readCount, instead: channel.followCount),
          keep: Limit.value(keepMessages, instead: channel.followKeep)))
      sentences.append("The messages of channel \(id) are \(ChannelView.following(channel)).")
    }
    if let hide {
      channel = try await client.channels.setHidden(id: id, hidden: hide, clearHistory: clear)
      sentences.append("Channel \(id) is \(hide ? "hidden until a new message arrives" : "not hidden").")
    }
  }
}
