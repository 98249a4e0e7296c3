internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import RelayNetwork
internal import Sentences
internal import StrictJSON

struct ChannelCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a channel on several relays",
    discussion: """
      The command shows the progress and prints the channel link.

      Exit status: 0 the channel works, 1 no relay accepted it or its relay did not let in every --member, 75 it did not \
      reach the state of --wait within --timeout, 20min by default. The daemon continues in any case: see batonctl channel \
      show.

      Example:
        batonctl channel create "City News" --relay relay-1 --relay relay-2
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable { case channel, group }
  enum Key: String, ExpressibleByArgument, CaseIterable { case own, identity }
  enum Access: String, ExpressibleByArgument, CaseIterable { case closed, restricted }
  enum Wait: String, ExpressibleByArgument, CaseIterable { case all, any, none }

  @Argument(help: "Name of the channel.") var name: String
  @Option(help: "Kind of channel. A group is on exactly one relay, which must offer groups.") var kind: Kind = .channel
  @Option(
    help:
      "Access to a group: closed (no one joins without approval), restricted (only members write). May be repeated."
  )
  var access: [Access] = []
  @Option(
    help:
      "Member of the group, which is then closed and restricted. A group with the same members is reused. May be repeated."
  )
  var member: [String] = []
  @Option(help: "nostr or simplex. Default: the network of the relays, or nostr if relays are picked.", completion: .networks)
  var network: String?
  @Option(help: "Relay, by id or name. May be repeated.", completion: .names(of: .relay)) var relay: [String] = []
  @Option(help: "Number of relays to pick, 1 to 32. Default: 3, or all if there are fewer.") var pick: Int?
  @Option(help: "When to return: all relays settled, any relay active, or none (do not wait).") var wait: Wait = .all
  @Option(help: "Identity that owns the channel, by id or name. Default: main.", completion: .names(of: .identity))
  var identity: String?
  @Option(
    name: .customLong("signing-key"),
    help:
      "Key that signs it on Nostr: own (derived from the identity's), identity. Default: own, if its relays allow it."
  )
  var signingKey: Key?
  @Option(help: "Description of the channel.") var description: String?
  @Option(help: "Image, a PNG, JPEG or WebP file.", completion: .file()) var image: String?
  @Option(help: "KEY=VALUE to store with the channel. May be repeated.") var custom: [String] = []
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same channel.")
  var idempotencyKey: String?
  @Flag(name: .customLong("allow-duplicate"), help: "Create the channel even if another one has this name.")
  var allowDuplicate = false
  @Flag(inversion: .prefixedNo, help: "Draw the link as a QR code, or do not. Default: if it fits the terminal.")
  var qr: Bool?
  @Flag(help: "Continue with fewer relays than wanted, without confirmation.") var yes = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard kind == .channel || relay.count <= 1 && (pick ?? 1) == 1 else {
      throw ValidationError("A group is on exactly one relay: name one with --relay.")
    }
    guard kind == .group || access.isEmpty && member.isEmpty else {
      throw ValidationError("--access and --member need --kind group: anyone may join a channel.")
    }
    guard member.isEmpty || idempotencyKey == nil else {
      throw ValidationError("--member and --idempotency-key cannot be combined: a group with the same members is reused.")
    }
    if let pick, !(1...32).contains(pick) { throw ValidationError("--pick must be 1 to 32.") }
    guard kind == .channel || signingKey != .own else {
      throw ValidationError("A group is signed by its identity: --signing-key own is for channels.")
    }
    guard relay.isEmpty || pick == nil else { throw ValidationError("--relay and --pick cannot be combined.") }
    _ = try CustomData(custom)
  }

  func run() async throws {
    try await global.connected(limit: wait == .none ? nil : TimeSpan(argument: "20min"), canInterrupt: wait != .none) {
      session in
      let request = try await request(session)
      if wait == .none {
        let channel = try await session.client.channels.create(request)
        return try session.show(channel) { "Channel \(channel.id) '\(channel.profile.displayName)' is being created." }
      }
      let channel = try await follow(request, session)
      if !member.isEmpty, ChannelView.activeCount(channel) > 0 { try await waitForMembers(of: channel, session) }
      try finish(channel, session)
    }
  }

  private func request(_ session: Session) async throws -> CreateChannel {
    var ids: [Int64] = []
    for name in relay { ids.append(try await session.relay(name).id) }
    var members: [String: JSONValue] = [:]
    for (key, value) in try CustomData(custom).members { members[key] = .string(value) }
    try await checkName(session)
    let owner = try await owner(session)
    var people: [String] = []
    for name in member { people.append(try await session.personKey(name)) }
    return CreateChannel(
      profile: Profile(displayName: name, description: description, image: try image.map(ImageFile.dataURL)),
      kind: kind == .channel ? nil : kind.rawValue,
      access: access.isEmpty ? nil : access.map(\.rawValue), members: people.isEmpty ? nil : people,
      network: network ?? owner.network, identity: owner.name, key: signingKey?.rawValue,
      relayIds: ids.isEmpty ? nil : ids,
      pick: pick,
      custom: members.isEmpty ? nil : .object(members),
      idempotencyKey: idempotencyKey)
  }

  /// Refuses the name of another channel, because someone who repeats a command rarely wants a second channel. A request with an
  /// idempotency key, or for a group of these members, returns the existing channel.
  private func checkName(_ session: Session) async throws {
    guard !allowDuplicate, idempotencyKey == nil, member.isEmpty else { return }
    let filter: JSONValue = ["profile.displayName": .string(name), "owned": true]
    guard let known = try await session.raw.channels.all(filter: filter).first else { return }
    throw Refusal(
      text: "channel \(known.id) already has the name '\(name)'. Choose another name, or use --allow-duplicate.",
      name: "local.DuplicateName")
  }

  /// The name of the identity. An id belongs to one network, which is then the channel's. A name may exist on each network.
  private func owner(_ session: Session) async throws -> (name: String?, network: String?) {
    guard let identity else { return (nil, nil) }
    if case .name(let name) = try ObjectName(identity) { return (name, nil) }
    let found = try await session.raw.identities.get(id: try await session.identity(identity).id)
    return (found.name, found.network)
  }

  /// Shows the channel after every change until it has reached the state that `--wait` requests.
  private func follow(_ request: CreateChannel, _ session: Session) async throws -> Channel {
    // The output is not redrawn until the next change, so a relative time would become wrong.
    let view = ChannelView(terminal: session.terminal, times: Times(isExact: true))
    var canvas = Canvas(session.terminal)
    var latest: Channel?
    for try await channel in try await session.client.channels.createAndFollow(request) {
      if latest == nil {
        try session.say(
          "Profile accepted, channel \(channel.id) is stored. Inviting \(counted(channel.relays.count, "relay")).")
      }
      latest = channel
      session.ending.followed = .channel(channel)
      if !session.options.json, !session.options.quiet {
        session.ending.willWrite(isResult: false)
        try canvas.draw(view.progress(channel, in: session.terminal.size))
      }
      if wait == .any, channel.linkUsable { break }
    }
    guard let channel = latest else {
      throw Refusal(text: "the daemon stopped before the channel was created", status: 69)
    }
    return channel
  }

  /// Waits until the relay has let all members in. A separate post lets each of them in.
  /// - Throws: a refusal that names the members who are not in.
  private func waitForMembers(of channel: Channel, _ session: Session) async throws {
    var wishes: [String: Post] = [:]
    func take(_ post: Post) {
      guard let about = post.about, about.act == "membership", post.id >= wishes[about.author]?.id ?? 0 else { return }
      wishes[about.author] = post
    }
    func isOpen(_ post: Post) -> Bool { PostView.members(post).contains(where: PostView.isOpen) }
    var page = try await session.raw.posts.list(PostsListRequest(channelId: channel.id, limit: Self.pageMax, reactions: true))
    let since = page.revision
    page.posts.forEach(take)
    while page.hasOlder, let oldest = page.posts.map(\.id).min() {
      page = try await session.raw.posts.list(
        PostsListRequest(channelId: channel.id, before: Int(oldest), limit: Self.pageMax, reactions: true))
      page.posts.forEach(take)
    }
    if wishes.values.contains(where: isOpen) {
      for try await change in try await session.raw.posts.watch(channelIds: [channel.id], since: since) {
        if let post = change.post { take(post) }
        guard wishes.values.contains(where: isOpen) else { break }
      }
    }
    let json: [String: JSONValue] = ["channel": try channel.json]
    guard !wishes.values.contains(where: isOpen) else {
      throw Refusal(
        text: "the daemon stopped reporting. See batonctl member list \(channel.id)", status: 75, parameters: json)
    }
    if let words = Self.shortfall(wishes.values.sorted { $0.id < $1.id }, channel.id) {
      throw Refusal(text: words, parameters: json)
    }
  }

  /// The members who are not in, for people, or `nil` if all are.
  /// - Parameter wishes: the latest wish about each person.
  static func shortfall(_ wishes: [Post], _ channel: Int64) -> String? {
    // A member who was removed since, or whose wish was given up, is no longer wanted.
    let wanted = wishes.filter { $0.deletedAt == nil && MembershipChange(text: $0.text, person: "")?.wish == .member }
    let out = wanted.filter { !["published", "partial"].contains($0.phase) }
    guard let first = out.first else { return nil }
    let reason = PostView.members(first).lazy.compactMap { $0.detail ?? $0.cause }.first ?? first.summary
    return
      "channel \(channel) was created, but its relay did not let in \(out.count) of \(counted(wanted.count, "member")): \(reason); "
      + "see batonctl post show \(first.id), then batonctl post retry \(first.id)"
  }

  /// The largest number of posts in one reply of the daemon.
  private static let pageMax = 100

  private func finish(_ channel: Channel, _ session: Session) throws {
    let view = ChannelView(terminal: session.terminal, times: session.times)
    let json: [String: JSONValue] = ["channel": try channel.json]
    // The daemon may have stopped, or another daemon creates the channel, which is not followed for long.
    let isSettled = wait == .any && ChannelView.activeCount(channel) > 0
    if !isSettled, channel.members.contains(where: { ["new", "invited", "accepted"].contains($0.status) }) {
      throw Refusal(
        text: "the daemon stopped reporting. See batonctl channel show \(channel.id)", status: 75, parameters: json)
    }
    let active = ChannelView.activeCount(channel)
    if let shortfall = view.shortfall(channel), wait == .all || active == 0 {
      try session.say(shortfall)
      if active > 0 {
        try session.confirm(
          "Proceed with \(active) of \(channel.wantedRelays) relays?", isDefault: true, yes: yes || session.options.json)
      }
    }
    guard active > 0, let link = channel.link else {
      throw Refusal(
        text: "no relay accepted channel \(channel.id). See batonctl channel show \(channel.id), then retry", parameters: json)
    }
    let text = session.options.quiet ? link : "\nChannel link:\n\(link)"
    try session.show(channel) {
      session.withCode(text, of: link, channel: channel.id, isWanted: qr ?? (session.options.quiet ? false : nil))
    }
  }
}
