internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import WebFiles

struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people", abstract: "List and mute people who write in channels",
    discussion: """
      The list contains authors of stored messages, and muted people. --search also finds channel members who wrote \
      nothing. Name a person by the key or name that the network uses, on Nostr also by npub1…, nprofile1… or a name at \
      a domain such as ada@example.com. Names prove nothing: anyone can use any name.

      Example:
        batonctl people News                  lists who wrote in the channel News, the latest first
        batonctl people --search ada          lists people whose name contains 'ada'
        batonctl people mute npub1…           hides all messages of a person, in all channels
      """,
    subcommands: [List.self, Show.self, Mute.self, Unmute.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List people, the latest writers first",
      discussion: """
        Example:
          batonctl people News --search ada
        """, aliases: ["ls"])
    @OptionGroup var table: TableOptions
    @Argument(help: "Channel, by id or name. Default: all channels.", completion: .names(of: .channel))
    var channel: String?
    @Option(help: "Only people who match part of a name, a key prefix, or a full key or name.") var search: String?
    @Flag(help: "Only people who are muted.") var muted = false
    @Option(help: "Maximum number of people to list, 1 to 1000.") var limit: Int = 30
    @OptionGroup var global: GlobalOptions

    /// The largest number of people in one reply of the daemon.
    private static let pageMax = 100

    func validate() throws {
      guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
      guard search?.isEmpty != true else { throw ValidationError("--search needs a name or a key.") }
      _ = try table.chosen(of: Self.columns)
    }

    func run() async throws {
      try await global.connected(table.show) { session in
        let columns = try table.chosen(of: Self.columns)
        var request = PeopleListRequest(muted: muted ? true : nil)
        if let channel { request.channelId = try await session.channel(channel).id }
        if let search { request.text = try await session.personKey(search) }
        var people: [Person] = []
        repeat {
          request.limit = min(limit - people.count, Self.pageMax)
          let page = try await session.client.people.list(request)
          people += page.people
          request.cursor = page.nextCursor
        } while request.cursor != nil && people.count < limit
        try session.show(people) {
          guard !people.isEmpty else {
            guard channel == nil, search == nil else { return "No people match." }
            return muted ? "No one is muted." : "No people."
          }
          let shown = session.table(columns, people.map { Row(person: $0, times: session.times) })
          return request.cursor == nil ? shown : "\(shown)\nThere are more people: --limit shows up to 1000."
        }
      }
    }

    struct Row {
      let person: Person
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("NAME", rank: 1, least: 12) { $0.person.name?.onOneLine ?? "" },
      TableColumn("KEY", rank: 0, least: 20) { ShortKey.text($0.person.author) },
      TableColumn("MESSAGES", rank: 3) { "\($0.person.messages)" },
      TableColumn("LAST", rank: 2) { $0.times.text($0.person.lastMessageAt) },
      TableColumn("MUTED", rank: 4, color: { $0.person.muted ? .yellow : nil }) { $0.person.muted ? "muted" : "" },
      TableColumn("CLAIMS", rank: 8, isExtra: true) { $0.person.domainName ?? "" },
      TableColumn("CHANNELS", rank: 5, isExtra: true) { $0.person.channelIds.map { "\($0)" }.joined(separator: ",") },
      TableColumn("NETWORK", rank: 6, isExtra: true) { $0.person.network ?? "" },
      TableColumn("AUTHOR", rank: 7, least: 24, isExtra: true) { $0.person.author },
    ]
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a person",
      discussion: """
        With --check the command asks the domain of a claimed name such as ada@example.com (NIP-05) to confirm it, and \
        the domain sees the request. It asks a server on this machine only if you name the person by that name. Exit \
        status 1 if the domain does not confirm the name, or was not asked.

        Example:
          batonctl people show ada@example.com --check
        """, aliases: ["get"])
    @OptionGroup var show: ShowOptions
    @Flag(help: "Ask the domain to confirm the name that the person claims.") var check = false
    @Argument(help: "Person, by the key or name that the network uses.") var person: String
    @OptionGroup var global: GlobalOptions

    func run() async throws {
      try await global.connected(show) { session in
        let found = try await session.client.people.get(author: try await session.personKey(person))
        let names = await session.channelNames(found.channelIds)
        let doubt = check ? await Self.doubt(found, typed: person) : nil
        let verdict = !check || found.domainName == nil ? "not checked" : doubt ?? "the domain confirms it"
        try session.show(found) { Self.text(found, verdict, names, session.times) }
        if check, found.domainName == nil { throw Refusal(text: "this person claims no name at a domain") }
        if doubt != nil { throw ExitCode(1) }
      }
    }

    /// Why someone's claimed name at a domain is not theirs, or `nil` if it is.
    /// - Parameter typed: the person as the caller named them.
    private static func doubt(_ person: Person, typed: String) async -> String? {
      guard let claimed = person.domainName else { return nil }
      do {
        let name = try DomainName(claimed)
        guard try !name.isLocal || DomainName.isMeant(by: typed) && DomainName(typed) == name else {
          return "not asked: it is on this machine, run batonctl people show \(name.text) --check to ask it"
        }
        let key = try await name.publicKey(client: try WebClient.withRootsOfEnvironment())
        return key == person.author ? nil : "the domain gives this name to someone else: \(ShortKey.text(key))"
      } catch {
        return "\(error)"
      }
    }

    private static func text(_ person: Person, _ verdict: String, _ channels: [Int64: String], _ times: Times) -> String {
      var lines = [person.name.map { "\($0.onOneLine) (\(person.author))" } ?? person.author]
      if let name = person.domainName { lines.append("claims    \(name) (\(verdict))") }
      if let network = person.network { lines.append("network   \(network)") }
      lines.append("messages  \(person.messages)\(person.lastMessageAt.map { ", the last \(times.text($0))" } ?? "")")
      for id in person.channelIds { lines.append("channel   \(id)\(channels[id].map { " '\($0)'" } ?? "")") }
      if let time = person.mutedAt { lines.append("muted     \(times.text(time)): all their messages are hidden") }
      return lines.joined(separator: "\n")
    }
  }

  struct Mute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Hide all past and future messages of a person locally",
      discussion: """
        The messages are left out of pages, searches, counts and previews in all channels. batonctl messages --hidden \
        shows them. No one else is notified, and relays still show the messages. On Nostr you can also mute someone who \
        has not written yet.

        Example:
          batonctl people mute npub1…
        """)
    @Argument(help: "Person, by the key or name that the network uses.") var person: String
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await PersonMuting(global: global, person: person, isMuted: true).run() }
  }

  struct Unmute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the messages of a person again",
      discussion: """
        Messages hidden one by one remain hidden: batonctl messages unhide shows them.

        Example:
          batonctl people unmute npub1…
        """)
    @Argument(help: "Person, by the key or name that the network uses.") var person: String
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await PersonMuting(global: global, person: person, isMuted: false).run() }
  }
}

/// Mutes or unmutes a person.
private struct PersonMuting {
  let global: GlobalOptions
  let person: String
  let isMuted: Bool

  func run() async throws {
    try await global.connected { session in
      let author = try await session.personKey(person)
      let found = try await session.client.people.setMuted(author: author, muted: isMuted)
      try session.show(found) {
        let key = ShortKey.text(found.author)
        let who = found.name.map { "\($0.onOneLine) (\(key))" } ?? key
        return "\(who) is \(isMuted ? "" : "not ")muted. \(found.messages) of their messages "
          + "\(found.messages == 1 ? "is" : "are") stored here."
      }
    }
  }
}

extension Session {
  /// A person in the form that the daemon accepts. A name at a domain is looked up here, because the daemon contacts no domains.
  func personKey(_ text: String) async throws -> String {
    var names = PostMentions()
    names.purpose = "look up"
    return try await names.keys(of: [text]).first ?? text
  }

  /// The names of these channels, by id, safe for a terminal, without channels that cannot be read.
  func channelNames(_ ids: [Int64]) async -> [Int64: String] {
    guard isForPeople, !ids.isEmpty else { return [:] }
    var names: [Int64: String] = [:]
    for id in ids.prefix(Self.channelsNamedMax) { names[id] = (try? await client.channels.get(id: id))?.profile.displayName }
    return names
  }

  /// The largest number of channels that are read for that, one by one.
  private static var channelsNamedMax: Int { 20 }
}

extension String {
  /// The text with one space wherever there is white space.
  var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
