internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON

struct MemberCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "member", abstract: "List and manage the members of a channel",
    discussion: """
      Groups on Nostr and SimpleX channels with up to 1,000 members list their members. Other channels list the people who wrote \
      there, and no one can be added or removed. Name a person by the key or name that the network uses, on Nostr also by npub1…, \
      nprofile1… or a name at a domain such as ada@example.com.

      Example:
        batonctl member list Club                       lists the members of the group Club
        batonctl member list Club --asking              lists join requests
        batonctl member add Club npub1… --role admin    lets a person in, as an admin
        batonctl member remove Club npub1…              removes a member
        batonctl member ban News 3q2+7w==               hides a member's future messages, on SimpleX
      """,
    subcommands: [List.self, Add.self, Role.self, Remove.self, Ban.self, Unban.self, Decline.self],
    defaultSubcommand: List.self,
    aliases: ["members"])

  struct List: AsyncParsableCommand {
    enum Order: String, ExpressibleByArgument, CaseIterable { case role, name, lastMessage }

    static let configuration = CommandConfiguration(
      abstract: "List members of a channel, members with roles first",
      discussion: """
        Example:
          batonctl member list Club --asking
        """, aliases: ["ls"])
    @OptionGroup var table: TableOptions
    @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
    @Flag(help: "Only join requests.") var asking = false
    @Flag(help: "Only known former members.") var former = false
    @Option(help: "Only members with this role.") var role: String?
    @Option(help: "Only members that match part of a name, a key prefix, or a full key or name.") var search: String?
    @Option(help: "Order. lastMessage puts the latest writers first.") var sort: Order = .role
    @Option(help: "Maximum number of people to list, 1 to 5000.") var limit: Int = 100
    @OptionGroup var global: GlobalOptions

    /// The largest number of members in one reply of the daemon.
    private static let pageMax = 100
    private static let limitMax = 5000

    func validate() throws {
      guard (1...Self.limitMax).contains(limit) else { throw ValidationError("--limit must be 1 to \(Self.limitMax).") }
      guard !asking || !former else { throw ValidationError("--asking and --former cannot be combined.") }
      guard search?.isEmpty != true else { throw ValidationError("--search needs a name or a key.") }
      guard role?.isEmpty != true else { throw ValidationError("--role needs a role.") }
      _ = try table.chosen(of: Self.columns)
    }

    func run() async throws {
      try await global.connected(table.show) { session in
        let columns = try table.chosen(of: Self.columns)
        var request = MembersListRequest(channelId: try await session.channel(channel).id)
        request.standing = asking ? "asking" : former ? "former" : nil
        (request.role, request.order) = (role, sort.rawValue)
        if let search { request.text = try await session.personKey(search) }
        var members: [Member] = []
        var page: MembersListReply
        repeat {
          request.limit = min(limit - members.count, Self.pageMax)
          page = try await session.client.members.list(request)
          members += page.members
          request.cursor = page.nextCursor
        } while request.cursor != nil && members.count < limit
        try session.show(members) { text(members, page, columns, session) }
      }
    }

    private func text(
      _ members: [Member], _ page: MembersListReply, _ columns: [TableColumn<Row>], _ session: Session
    ) -> String {
      var lines: [String] = []
      if !members.isEmpty {
        lines.append(session.table(columns, members.map { Row(member: $0, times: session.times) }))
      } else if asking {
        lines.append("No join requests.")
      } else if role != nil || search != nil || former {
        lines.append("No people match.")
      } else {
        lines.append(page.listed ? "No members." : "No one has written in the channel.")
      }
      if page.nextCursor != nil { lines.append("There are more people: --limit shows up to \(Self.limitMax).") }
      if !page.listed, !asking, !former {
        lines.append("The network does not list members: Baton lists the people who wrote in the channel.")
      } else if let time = page.readAt, let count = page.count, !asking, !former {
        lines.append("\(counted(count, "member")), read \(session.times.text(time)).")
      }
      return lines.joined(separator: "\n")
    }

    struct Row {
      let member: Member
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("NAME", rank: 1, least: 12) { $0.member.name?.onOneLine ?? "" },
      TableColumn("KEY", rank: 0, least: 20) {
        ShortKey.text($0.member.author) + ($0.member.own ? " (you)" : "")
      },
      TableColumn("ROLES", rank: 2) { $0.member.roles.joined(separator: ", ") },
      TableColumn("LAST", rank: 3) { $0.times.text($0.member.lastMessageAt) },
      TableColumn("ASKED", rank: 4) { row in
        row.member.askedAt.map { time in
          row.times.text(time) + (row.member.askedText.map { $0.isEmpty ? "" : ": \($0.onOneLine)" } ?? "")
        } ?? ""
      },
      TableColumn("MUTED", rank: 5, isExtra: true) { $0.member.muted ? "muted" : "" },
      TableColumn("BANNED", rank: 8, isExtra: true) { $0.member.banned ? "banned" : "" },
      TableColumn("STANDING", rank: 6, isExtra: true) { $0.member.standing },
      TableColumn("AUTHOR", rank: 7, least: 24, isExtra: true) { $0.member.author },
    ]
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a member to a group, or replace a member's roles",
      discussion: """
        This also accepts a join request. The change is a post: batonctl post show shows its progress, and batonctl post \
        retry retries it. It is done when the relay's own lists show it.
        Exit status: 0 the change is done or stored with --wait none, 1 it is not done.

        Example:
          batonctl member add Club npub1… --role admin
        """)
    @OptionGroup var target: MemberTarget
    @Option(help: "Role. May be repeated. The relay defines roles, and admin is common. Default: none.")
    var role: [String] = []
    @OptionGroup var waiting: MemberWaiting
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await waiting.run(global, target) { channel, author, client in
        let request = MembersAddRequest(channelId: channel, author: author, roles: role)
        return (
          { try await client.members.add(request).change },
          { try await client.members.addAndFollow(request).map(\.change) }
        )
      }
    }
  }

  struct Role: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set a member's role (omit ROLE to clear it)",
      discussion: """
        SimpleX has the roles observer (the default, which only reads), member, moderator, admin and owner.
        Exit status: as for batonctl member add.

        Example:
          batonctl member role Club npub1… moderator
        """)
    @OptionGroup var target: MemberTarget
    @Argument(help: "Role. Default: none, a plain member.") var role: String?
    @OptionGroup var waiting: MemberWaiting
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await waiting.run(global, target) { channel, author, client in
        let request = MembersSetRoleRequest(channelId: channel, author: author, role: role)
        return (
          { try await client.members.setRole(request).change },
          { try await client.members.setRoleAndFollow(request).map(\.change) }
        )
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a member from a channel",
      discussion: """
        The member's messages remain: batonctl messages remove removes them, and batonctl people mute hides them \
        locally. A removed member can ask to join again, and on SimpleX can join again under another name.
        Exit status: as for batonctl member add.

        Example:
          batonctl member remove Club npub1…
        """, aliases: ["rm"])
    @OptionGroup var target: MemberTarget
    @Option(help: "Reason, for the relay of a group and the readers of its history.") var reason: String?
    @OptionGroup var waiting: MemberWaiting
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await waiting.run(global, target) { channel, author, client in
        let request = MembersRemoveRequest(channelId: channel, author: author, reason: reason)
        return (
          { try await client.members.remove(request).change },
          { try await client.members.removeAndFollow(request).map(\.change) }
        )
      }
    }
  }

  struct Ban: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hide a member's future messages from everyone",
      discussion: """
        Only SimpleX has bans. A banned member remains a member and continues to read. Earlier messages remain visible.
        Exit status: as for batonctl member add.

        Example:
          batonctl member ban News 3q2+7w==
        """)
    @OptionGroup var target: MemberTarget
    @OptionGroup var waiting: MemberWaiting
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await waiting.run(global, target) { channel, author, client in
        let request = MembersBanRequest(channelId: channel, author: author)
        return (
          { try await client.members.ban(request).change }, { try await client.members.banAndFollow(request).map(\.change) }
        )
      }
    }
  }

  struct Unban: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lift a ban",
      discussion: """
        Exit status: as for batonctl member add.

        Example:
          batonctl member unban News 3q2+7w==
        """)
    @OptionGroup var target: MemberTarget
    @OptionGroup var waiting: MemberWaiting
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await waiting.run(global, target) { channel, author, client in
        let request = MembersUnbanRequest(channelId: channel, author: author)
        return (
          { try await client.members.unban(request).change }, { try await client.members.unbanAndFollow(request).map(\.change) }
        )
      }
    }
  }

  struct Decline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Dismiss a join request",
      discussion: """
        No one else is notified. A new request is listed again. batonctl member add accepts a request.

        Example:
          batonctl member decline Club npub1…
        """)
    @OptionGroup var target: MemberTarget
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected { session in
        let channel = try await session.channel(target.channel).id
        let author = try await session.personKey(target.person)
        let member = try await session.client.members.decline(channelId: channel, author: author)
        try session.show(member) { "The join request of \(member.shownName) is dismissed." }
      }
    }
  }
}

/// Someone in a channel.
struct MemberTarget: ParsableArguments {
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Argument(help: "Person, by the key or name that the network uses.") var person: String
}

/// Changes the members of a channel, and waits for the change.
struct MemberWaiting: ParsableArguments {
  enum Wait: String, ExpressibleByArgument, CaseIterable {
    case all, none

    /// `done` is the earlier name of `all`. A group is on one relay, so any of them is all of them.
    init?(argument: String) { self.init(rawValue: ["done", "any"].contains(argument) ? "all" : argument) }
  }

  @Option(help: "When to return: all relays settled, or none (do not wait).") var wait: Wait = .all

  /// - Parameter change: for a channel and a person, two ways to make the change: one returns it, the other sends it after every change.
  func run(
    _ global: GlobalOptions, _ target: MemberTarget,
    _ change:
      @Sendable (Int64, String, BatonClient) -> (
        make: @Sendable () async throws -> MemberChange,
        follow: @Sendable () async throws -> any AsyncSequence<MemberChange, any Error>
      )
  ) async throws {
    try await global.connected(limit: wait == .none ? nil : TimeSpan(argument: "5min"), canInterrupt: wait != .none) {
      session in
      let channel = try await session.channel(target.channel).id
      let steps = change(channel, try await session.personKey(target.person), session.client)
      guard wait != .none else {
        let change = try await steps.make()
        return try session.show(change) { "Post \(change.postId) requests the change." }
      }
      var latest: MemberChange?
      for try await change in try await steps.follow() {
        if latest == nil { try session.say("Post \(change.postId) requests the change.") }
        latest = change
        session.ending.followed = .membership(change)
      }
      guard let latest else { throw Refusal(text: "the daemon stopped before the change was made", status: 69) }
      try finish(latest, session)
    }
  }

  private func finish(_ change: MemberChange, _ session: Session) throws {
    let reason = change.detail ?? change.cause
    switch change.phase {
    case "published", "partial":
      if change.phase == "partial" {
        guard change.settled else { throw stopped(change) }
        try session.say("Not all relays were told: \(reason ?? change.summary). See batonctl post show \(change.postId).")
      }
      let key = ShortKey.text(change.author)
      let roles = change.roles.isEmpty ? "" : " with the role \(change.roles.joined(separator: ", "))"
      try session.show(change) {
        switch change.wish {
        case "removed": "\(key) is no longer a member."
        case "banned": "\(key) is banned."
        case "unbanned": "\(key) is no longer banned."
        default: "\(key) is a member\(roles)."
        }
      }
    case "deleting", "deleted", "stillServed":
      throw Refusal(
        text: "another change for the same person replaced this one", parameters: ["change": try change.json])
    case "failed", "skipped":
      throw Refusal(
        text: "the change is not done: \(reason ?? change.summary). See batonctl post show \(change.postId)",
        parameters: ["change": try change.json])
    default: throw stopped(change)
    }
  }

  private func stopped(_ change: MemberChange) -> Refusal {
    Refusal(
      text: "the daemon stopped reporting. See batonctl post show \(change.postId)", status: 75,
      parameters: (try? ["change": change.json]) ?? [:])
  }
}

extension Member {
  /// The name and key, for one line.
  fileprivate var shownName: String {
    let key = ShortKey.text(author)
    return name.map { "\($0.onOneLine) (\(key))" } ?? key
  }
}
