internal import Accounts
internal import Channels
internal import Nostr
internal import PostgreSQL
internal import RelayNetwork
internal import SimpleX
internal import Storage
internal import WebFiles

/// One option of the configuration file. The list of them is the schema, the reference and the source of the defaults.
struct Setting: Sendable {
  /// The form that the text of a value must have.
  enum Kind: Sendable {
    case path
    /// A folder with files that may be published.
    case fileFolder
    case level
    case group
    /// A group that exists on the machine.
    case existingGroup
    /// A name that people read.
    case name
    /// A time span of at least 100 ms, such as `30s`, `2min` or `500ms`, or a number of seconds.
    case duration
    case integer(ClosedRange<Int>)
    /// `true` or `false`.
    case flag
    /// A port of this machine, as HOST:PORT.
    case endpoint
    /// Keys of channels' custom data, as a list or with commas between them.
    case keys
    /// Addresses of web servers, as a list or with commas between them.
    case webServers
    /// The address of a PostgreSQL database.
    case database

    /// The name of the members if a list in a file is allowed, otherwise `nil`.
    var members: String? {
      switch self {
      case .keys: "keys"
      case .webServers: "addresses"
      case .path, .fileFolder, .level, .group, .existingGroup, .name, .duration, .integer, .flag, .endpoint, .database: nil
      }
    }

    /// A value as messages show it.
    func shown(_ text: String) -> String {
      switch self {
      case .webServers: Setting.list(text).map(PasswordEcho.hiding).joined(separator: ",")
      case .database: (try? PostgreSQLAddress(text))?.description ?? "…"
      case .path, .fileFolder, .level, .group, .existingGroup, .name, .duration, .integer, .flag, .endpoint, .keys: text
      }
    }

    /// The error in `text`, or `nil` if it is valid.
    func problem(_ text: String) -> String? {
      switch self {
      case .flag: ["true", "false"].contains(text) ? nil : "must be true or false"
      case .endpoint:
        Setting.endpoint(text) == nil ? "must be an address of this machine and a port, such as 127.0.0.1:5225" : nil
      case .keys: Setting.problem(ofKeys: Setting.list(text))
      case .webServers: Setting.problem(ofServers: Setting.list(text))
      case .database: Setting.problem(ofDatabase: text)
      case .path: text.hasPrefix("/") ? nil : "must be an absolute path"
      case .fileFolder: Setting.problem(ofFileFolder: text)
      case .level: Setting.levels.contains(text) ? nil : "must be one of \(Setting.levels.joined(separator: ", "))"
      case .name: text.isEmpty || text.contains(where: \.isNewline) ? "must be a name on one line" : nil
      case .group: text.isEmpty ? "must be the name of a group" : nil
      case .existingGroup: Accounts.group(named: text) == nil ? "must be the name of a group that exists" : nil
      case .duration:
        (Setting.duration(text) ?? .zero) < .milliseconds(100)
          ? "must be a time span such as 30s, 2min or 500ms, at least 100ms" : nil
      case .integer(let range):
        Int(text).map(range.contains) == true
          ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
      }
    }
  }

  let key: String
  let kind: Kind
  let fallback: String
  let summary: String

  /// Whether the option is only for unusual machines, networks and loads.
  var isAdvanced: Bool { !Self.everyday.contains(key) }

  private static let everyday: Set<String> = [
    "log.level", "store", "cluster.name", "control.group", "control.readGroup", "control.publishGroup", "operators.directory",
    "history.keepDays", "messages.follow", "messages.keep", "nostr.trustRoots", "nostr.blossom",
    "simplex.core", "simplex.program", "simplex.files",
  ]

  /// Whether a reload applies the option. Other options are read only at the start.
  var appliesOnReload: Bool {
    if ["log.level", "operators.directory"].contains(key) { return true }
    return ["tests.", "channel.", "heal.", "history."].contains { key.hasPrefix($0) } || key.contains(".channel.")
  }

  /// The error in the address of a database, or `nil` if it is valid. The error's text never contains a part of the address that may be a
  /// password.
  private static func problem(ofDatabase text: String) -> String? {
    do throws(PostgreSQLFailure) {
      _ = try PostgreSQLAddress(text)
      return nil
    } catch {
      switch error {
      case .refused(let fault):
        return "must be an address of a database, such as postgresql://baton@db.example/baton: \(fault.message)"
      case .unavailable(let words), .inDoubt(let words): return "does not work: \(words)"
      }
    }
  }

  static let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]

  static let all: [Setting] = general + ofChannels + NetworkKind.served.flatMap(ofChannels(on:))

  private static let general: [Setting] = [
    Setting(key: "log.level", kind: .level, fallback: "info", summary: "least severe messages that are logged"),
    Setting(
      key: "store", kind: .database, fallback: "",
      summary:
        "the PostgreSQL database that several daemons share, such as postgresql://baton@db.example/baton. Empty: a file in "
        + "state.directory"),
    Setting(
      key: "cluster.name", kind: .name, fallback: "",
      summary:
        "name of this daemon, unique in its database, and kept if it has a chat core. Empty: the host name of the machine"
    ),
    Setting(
      key: "state.directory", kind: .path, fallback: "/var/lib/batond", summary: "folder of the database and the key file"),
    Setting(
      key: "state.scrubRows", kind: .integer(0...1_000_000), fallback: "2000",
      summary: "rows of the database that are checked for damage each second. 0 turns the check off"),
    Setting(
      key: "state.scrubInterval", kind: .duration, fallback: "24h",
      summary: "time from the end of one check of the whole database for damage to the start of the next"),
    Setting(
      key: "state.indexedKeys", kind: .keys, fallback: "",
      summary:
        "keys of channels' custom data that have an index, such as [team, customer.id], so that lists filter and sort by them fast"
    ),
    Setting(key: "control.socket", kind: .path, fallback: "/run/batond/control", summary: "path of the control socket"),
    Setting(key: "control.group", kind: .group, fallback: "baton", summary: "group that may do everything"),
    Setting(key: "control.readGroup", kind: .group, fallback: "baton-read", summary: "group that may read and watch"),
    Setting(
      key: "control.publishGroup", kind: .existingGroup, fallback: "",
      summary:
        "group that may publish, edit and delete posts, and see channels and posts, but do nothing else. Empty: no such group"
    ),
    Setting(
      key: "control.messageBytesMax", kind: .integer((64 << 10)...(16 << 20)), fallback: "1048576",
      summary: "largest message accepted from a client, in bytes"),
    Setting(
      key: "control.messageTimeout", kind: .duration, fallback: "1min",
      summary: "how long a client may take to send its first message, and to finish a message that it has begun"),
    Setting(
      key: "control.replyTimeout", kind: .duration, fallback: "5min",
      summary: "how long a client may take to read a reply before its connection is closed"),
    Setting(
      key: "control.connectionsMax", kind: .integer(16...65_536), fallback: "4096",
      summary: "connections open at the same time, at most half of the descriptors that the daemon may have"),
    Setting(
      key: "control.connectionsPerUser", kind: .integer(1...65_536), fallback: "128",
      summary: "connections of one user open at the same time"),
    Setting(
      key: "control.connectionsReserved", kind: .integer(1...4096), fallback: "32",
      summary: "how many of control.connectionsMax are kept for root and the daemon's own user, at most a quarter"),
    Setting(
      key: "control.connectionsPerStranger", kind: .integer(1...1024), fallback: "8",
      summary: "connections that a user without any rights may have open at the same time"),
    Setting(
      key: "control.strangersMax", kind: .integer(1...65_536), fallback: "64",
      summary: "connections that all such users together may have open at the same time"),
    Setting(
      key: "control.strangerTimeout", kind: .duration, fallback: "10s",
      summary: "how long such a user may be silent, or take for a message or a reply"),
    Setting(
      key: "control.strangerMessageBytesMax", kind: .integer((4 << 10)...(16 << 20)), fallback: "65536",
      summary: "largest message accepted from such a user, in bytes"),
    Setting(
      key: "control.requestsMax", kind: .integer(16...1_000_000), fallback: "10000",
      summary: "requests that may wait. More are refused as Busy"),
    Setting(
      key: "control.pageMax", kind: .integer(1...1000), fallback: "1000", summary: "objects on one page of a list, at most"),
    Setting(
      key: "control.filterDepth", kind: .integer(1...32), fallback: "8",
      summary: "how deep the conditions of a filter may be nested"),
    Setting(
      key: "control.filterSize", kind: .integer(1...10_000), fallback: "500",
      summary: "conditions and values that a filter may have in total"),
    Setting(
      key: "control.subscribersMax", kind: .integer(1...65_536), fallback: "2048",
      summary: "clients that watch at the same time"),
    Setting(
      key: "control.subscriberQueue", kind: .integer(64...1_000_000), fallback: "4096",
      summary: "how many changes a client that watches may be behind. Beyond that it gets only the newest change of each object"
    ),
    Setting(
      key: "control.changesBytesMax", kind: .integer((256 << 10)...(1 << 30)), fallback: "16777216",
      summary: "memory for changes that watching clients have not read yet, for all of them together, in bytes"),
    Setting(
      key: "operators.directory", kind: .path, fallback: "/etc/batond/operators.d",
      summary: "folder with files that declare operators, servers and relays"),
    Setting(
      key: "tests.background", kind: .flag, fallback: "true",
      summary: "whether enabled relays and servers are tested in the background"),
    Setting(key: "tests.interval", kind: .duration, fallback: "15min", summary: "time between two tests of a relay or server"),
    Setting(
      key: "tests.afterFailure", kind: .duration, fallback: "2min", summary: "time until the next test after a failed one"),
    Setting(
      key: "tests.fullInterval", kind: .duration, fallback: "24h",
      summary: "how often the test of a relay publishes an event as well"),
    Setting(
      key: "tests.atOnceMax", kind: .integer(1...64), fallback: "4", summary: "tests that may run at the same time"),
    Setting(
      key: "channel.verifiesPerMinute", kind: .integer(1...10_000), fallback: "60",
      summary: "channels that are read back from one relay within a minute, at most"),
    Setting(
      key: "channel.upkeepInterval", kind: .duration, fallback: "1min",
      summary: "how often the daemon looks for channels to read back and relays to replace"),
    Setting(
      key: "heal.after", kind: .duration, fallback: "1h",
      summary: "how long a relay may be inactive in a channel before another takes its place"),
    Setting(
      key: "heal.perChannelPerHour", kind: .integer(1...100), fallback: "3",
      summary: "replacements in one channel within an hour, at most"),
    Setting(
      key: "heal.perHour", kind: .integer(1...100_000), fallback: "120",
      summary: "replacements in all channels within an hour, at most"),
    Setting(
      key: "heal.returnsPerMinute", kind: .integer(1...100_000), fallback: "600",
      summary: "channels that get a relay back within a minute, at most, when it works again after they failed there"),
    Setting(
      key: "history.keepDays", kind: .integer(1...36_500), fallback: "365",
      summary: "how long the history of channels is kept, in days"),
    Setting(
      key: "history.keepRows", kind: .integer(1_000...1_000_000_000), fallback: "5000000",
      summary: "how many transitions of channels are kept, however young. 1,000,000 take about 100 MB"),
    Setting(
      key: "messages.follow", kind: .flag, fallback: "true",
      summary: "whether to read other people's messages from the channels' relays and keep them"),
    Setting(
      key: "messages.days", kind: .integer(FollowingChoice.daysAllowed), fallback: "30",
      summary: "how old messages may be that are read from a relay, in days. 0: any age"),
    Setting(
      key: "messages.count", kind: .integer(FollowingChoice.countsAllowed), fallback: "1000",
      summary: "how many of the newest messages of a channel are read from one relay"),
    Setting(
      key: "messages.keep", kind: .integer(10...1_000_000), fallback: "10000",
      summary: "how many of the latest messages of other people are kept for each channel"),
    Setting(
      key: "nostr.trustRoots", kind: .path, fallback: "",
      summary: "PEM file with certificate authorities. Empty: the system's"),
    Setting(
      key: "nostr.blossom", kind: .webServers, fallback: "",
      summary: "servers for files of posts (Blossom), best first, such as [https://files.example, https://cdn.example]"),
    Setting(key: "nostr.dialTimeout", kind: .duration, fallback: "10s", summary: "how long connecting to a relay may take"),
    Setting(key: "nostr.publishTimeout", kind: .duration, fallback: "15s", summary: "how long a relay may take to answer"),
    Setting(
      key: "nostr.redialMax", kind: .duration, fallback: "5min",
      summary: "longest wait between attempts to reach a relay that is down"),
    Setting(
      key: "simplex.core", kind: .endpoint, fallback: "",
      summary: "where a SimpleX chat core listens on this machine, as HOST:PORT. Channels on simplex need it"),
    Setting(
      key: "simplex.program", kind: .path, fallback: "",
      summary: "the program simplex-chat, if the daemon should run it. Empty: it runs as a separate service"),
    Setting(
      key: "simplex.user", kind: .name, fallback: "Channels",
      summary: "display name of the core's user when the daemon runs the core. The user is created at the first start"),
    Setting(
      key: "simplex.files", kind: .fileFolder, fallback: "",
      summary:
        "folder with the files that posts on simplex may include, on the machine of the core, which reads them. Empty: no files"
    ),
    Setting(
      key: "simplex.presets", kind: .flag, fallback: "true",
      summary:
        "whether to add the operators that come with the core, with their servers and relays, unless Baton has them already"
    ),
    Setting(
      key: "simplex.commandTimeout", kind: .duration, fallback: "90s",
      summary: "how long the core may take for a command that involves relays or servers"),
    Setting(
      key: "simplex.testCounts", kind: .duration, fallback: "15min",
      summary: "how long a passed test of a relay counts when a channel is created on it"),
  ]

  /// Timers and limits of channel relays.
  static let ofChannels: [Setting] = [
    Setting(
      key: "channel.invitationTimeout", kind: .duration, fallback: "30s", summary: "how long one invitation may take"),
    Setting(
      key: "channel.verificationTimeout", kind: .duration, fallback: "15s", summary: "how long one verification may take"),
    Setting(
      key: "channel.backOffFirst", kind: .duration, fallback: "1s",
      summary: "wait before the second attempt, doubled each time"),
    Setting(key: "channel.backOffMax", kind: .duration, fallback: "5min", summary: "longest wait between attempts"),
    Setting(
      key: "channel.attemptsMax", kind: .integer(1...100), fallback: "8", summary: "attempts before a channel relay fails"),
    Setting(key: "channel.effortMax", kind: .duration, fallback: "15min", summary: "time before a channel relay fails"),
    Setting(
      key: "channel.inactiveGrace", kind: .duration, fallback: "2min",
      summary: "how long a relay may be down before its channels count as inactive there"),
    Setting(
      key: "channel.slowRetry", kind: .duration, fallback: "15min", summary: "how often an inactive channel relay is tried"),
    Setting(
      key: "channel.verifyInterval", kind: .duration, fallback: "24h",
      summary: "how often an active channel relay is read back"),
  ]

  /// Defaults that differ on a network. On simplex, relays are tested one after the other before a channel is created, and their replies
  /// pass through message servers.
  private static let ownDefaults: [NetworkKind: [String: String]] = [
    .simplex: ["channel.invitationTimeout": "4min", "channel.verificationTimeout": "2min"]
  ]

  /// The same options for one network. An empty default means that the general option applies.
  private static func ofChannels(on network: NetworkKind) -> [Setting] {
    ofChannels.map {
      Setting(
        key: "\(network.rawValue).\($0.key)", kind: $0.kind, fallback: ownDefaults[network]?[$0.key] ?? "",
        summary: "in place of `\($0.key)` for channels on \(network.rawValue)")
    }
  }

  static func endpoint(_ text: String) -> CoreEndpoint? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else { return nil }
    let host = text[..<colon].trimmingPrefix("[")
    return try? CoreEndpoint(host: String(host.hasSuffix("]") ? host.dropLast() : host), port: port)
  }

  /// More keys would make each change of a channel too expensive.
  static let keysMax = 8
  static let keyBytesMax = 128

  /// The members of a list, without the commas.
  static func list(_ text: String) -> [String] {
    text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimming { $0 == " " } }
  }

  private static func problem(ofKeys keys: [String]) -> String? {
    guard keys.count <= keysMax else { return "must have at most \(keysMax) keys" }
    for (index, key) in keys.enumerated() {
      if key.isEmpty { return "must have no empty keys" }
      if key.utf8.count > keyBytesMax { return "must have keys of at most \(keyBytesMax) characters" }
      if keys[..<index].contains(key) { return "must not have the key '\(key)' twice" }
      guard ChannelField(customKey: key) != nil else {
        return
          "must have keys that lists can be sorted by: printable ASCII without quotes and backslashes, with dots between names"
      }
    }
    return nil
  }

  /// As many as an attachment can name: an address and the others of the same file.
  static let serversMax = 1 + PostDraft.Attachment.fallbacksMax

  /// Servers for files.
  static func servers(_ text: String) -> [FileServer] {
    list(text).compactMap { try? WebAddress(server: $0) }.map { FileServer(address: $0.server, host: $0.host) }
  }

  private static func problem(ofServers texts: [String]) -> String? {
    guard texts.count <= serversMax else { return "must have at most \(serversMax) addresses" }
    var known: Set<String> = []
    for (index, text) in texts.enumerated() {
      do throws(WebAddress.Flaw) {
        guard known.insert(try WebAddress(server: text).server).inserted else {
          return "must not have the same server twice, as address \(index + 1) does"
        }
      } catch {
        return "must have addresses of servers: address \(index + 1) \(error)"
      }
    }
    return nil
  }

  private static func problem(ofFileFolder text: String) -> String? {
    do throws(FileAddress.Flaw) {
      _ = try FileFolder(path: text)
      return nil
    } catch { return "must be the absolute path of a folder: it \(error.reason)" }
  }

  /// A time span: a number with `ms`, `s`, `min` or `h`. A number without a unit is in seconds.
  static func duration(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number <= 1_000_000_000 else { return nil }
    switch text[digits.endIndex...] {
    case "ms": return .milliseconds(number)
    case "s", "": return .seconds(number)
    case "min": return .seconds(number * 60)
    case "h": return .seconds(number * 3600)
    default: return nil
    }
  }
}

extension Substring {
  /// The text without these characters at its beginning and its end.
  fileprivate func trimming(_ isLeftOut: (Character) -> Bool) -> String {
    String(drop(while: isLeftOut).reversed().drop(while: isLeftOut).reversed())
  }
}

extension NetworkKind {
  /// The networks that this daemon can serve.
  static let served: [NetworkKind] = [.nostr, .simplex]
}
