internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Dispatch
internal import Foundation
internal import Glibc
internal import StrictJSON

struct ChannelCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Creates a channel on several relays and shows how it goes.",
    discussion: """
      Exit status: 0 the channel works; 1 no relay took it; 75 it did not get as far as --wait asks within --timeout.
      The daemon goes on in any case: see batonctl channel show.
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable { case channel, group }
  enum Wait: String, ExpressibleByArgument, CaseIterable { case all, any, none }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Name of the channel.") var name: String
  @Option(help: "A channel, or a group, which lives on exactly one relay that offers groups.") var kind: Kind = .channel
  @Option(help: "nostr or simplex. Default: that of the relays, or nostr when they are picked.") var network: String?
  @Option(help: "A relay, by id or name; may be repeated.") var relay: [String] = []
  @Option(help: "How many relays to pick. Default: 3, or all if there are fewer.") var pick: Int?
  @Option(help: "Wait until all relays are settled, any is active, or none.") var wait: Wait = .all
  @Option(help: "How long to wait, for example 60s or 5min.") var timeout: String = "20min"
  @Option(help: "The identity that will own it. Default: main.") var identity: String?
  @Option(help: "What the channel is about.") var description: String?
  @Option(help: "A PNG, JPEG or WebP file.", completion: .file()) var image: String?
  @Option(help: "KEY=VALUE to keep with the channel; may be repeated.") var custom: [String] = []
  @Option(name: .customLong("idempotency-key"), help: "The same key gives the same channel, however often.")
  var idempotencyKey: String?
  @Flag(help: "Go on with fewer relays than wanted without asking.") var yes = false

  func validate() throws {
    guard kind == .channel || relay.count <= 1 && (pick ?? 1) == 1 else {
      throw ValidationError("A group lives on exactly one relay: name one with --relay.")
    }
    guard relay.isEmpty || pick == nil else { throw ValidationError("--relay and --pick exclude each other.") }
    guard Self.seconds(timeout) != nil else { throw ValidationError("--timeout must be a time such as 60s or 5min.") }
    guard custom.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
      throw ValidationError("--custom must be KEY=VALUE.")
    }
  }

  static func seconds(_ text: String) -> Int? {
    let digits = text.prefix(while: \.isNumber)
    guard let number = Int(digits), number > 0, number < 1_000_000 else { return nil }
    switch text[digits.endIndex...] {
    case "", "s": return number
    case "min": return number * 60
    case "h": return number * 3600
    default: return nil
    }
  }

  func run() async throws {
    try await global.connected { session in
      let request = try await request(session)
      if wait == .none {
        let channel = try await session.client.createChannel(request)
        return try session.show(channel) { "Channel \(channel.id) '\(channel.profile.displayName)' is being created." }
      }
      let channel = try await follow(request, session)
      try finish(channel, session)
    }
  }

  private func request(_ session: Session) async throws -> CreateChannel {
    var ids: [Int64] = []
    for name in relay { ids.append(try await session.relay(name).id) }
    var members: [String: JSONValue] = [:]
    for pair in custom {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      members[String(parts[0])] = .string(String(parts[1]))
    }
    return CreateChannel(
      profile: Profile(displayName: name, description: description, image: try image.map(ImageFile.dataURL)),
      kind: kind == .channel ? nil : kind.rawValue, network: network, identity: identity, relayIds: ids.isEmpty ? nil : ids,
      pick: pick,
      custom: members.isEmpty ? nil : .object(members),
      idempotencyKey: idempotencyKey)
  }

  /// Shows the channel after every change until it is as far as `--wait` asks.
  private func follow(_ request: CreateChannel, _ session: Session) async throws -> Channel {
    let view = ChannelView(terminal: session.terminal)
    let limit = Self.seconds(timeout) ?? 1200
    let current = Latest()
    let interrupt = Self.onInterrupt(current)
    defer { interrupt.cancel() }
    let changes = try await session.client.createChannelAndFollow(request)
    let deadline = DispatchSource.makeTimerSource()
    deadline.schedule(deadline: .now() + .seconds(limit))
    deadline.setEventHandler {
      let name = current.channel.map { "channel \($0.id)" } ?? "the channel"
      FileHandle.standardError.write(
        Data("batonctl: \(name) is not ready after \(limit) s; the daemon goes on, see batonctl channel show\n".utf8))
      Glibc.exit(75)
    }
    deadline.resume()
    defer { deadline.cancel() }
    var drawn = 0
    for try await channel in changes {
      if current.channel == nil {
        session.say("Profile accepted, channel \(channel.id) is stored. Inviting \(channel.relays.count) relays.")
      }
      current.channel = channel
      if session.options.json {
        print(try channel.json.text)
        flush()
      } else if !session.options.quiet {
        drawn = draw(view.progress(channel), over: drawn, session.terminal)
      }
      if wait == .any, channel.linkUsable { break }
    }
    guard let channel = current.channel else {
      throw Refusal(text: "the daemon ended before the channel was created", status: 69)
    }
    return channel
  }

  /// Draws over what was drawn before on a terminal; elsewhere lines follow each other.
  private func draw(_ lines: [String], over count: Int, _ terminal: Terminal) -> Int {
    if terminal.isTerminal, count > 0 { print("\u{1B}[\(count)A", terminator: "") }
    for line in lines { print(terminal.isTerminal ? "\u{1B}[2K\(line)" : line) }
    flush()
    return lines.count
  }

  private func finish(_ channel: Channel, _ session: Session) throws {
    let view = ChannelView(terminal: session.terminal)
    if wait == .all, ChannelView.members(channel).contains(where: { ["new", "invited", "accepted"].contains($0.status) }) {
      throw Refusal(text: "the daemon stopped reporting; see batonctl channel show \(channel.id)", status: 75)
    }
    let active = ChannelView.activeCount(channel)
    if let shortfall = view.shortfall(channel), wait == .all || active == 0 {
      session.say(shortfall)
      if active > 0 {
        try session.confirm(
          "Proceed with \(active) of \(channel.wantedRelays) relays?", isDefault: true, yes: yes || session.options.json)
      }
    }
    guard active > 0, let link = channel.link else {
      throw Refusal(text: "no relay took channel \(channel.id); see batonctl channel show \(channel.id), then retry")
    }
    guard !session.options.json else { return }
    print(session.options.quiet ? link : "\nChannel link:\n\(link)")
    if session.terminal.isTerminal, !session.options.quiet, let code = QRCode(link) {
      print(code.text(hasColor: session.terminal.hasColor))
    }
  }

  /// Ctrl-C leaves the daemon working and says how to look again.
  private static func onInterrupt(_ current: Latest) -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler {
      let name = current.channel.map { String($0.id) } ?? "CHANNEL"
      FileHandle.standardError.write(
        Data("\nThe daemon goes on without you. Look again with: batonctl channel show \(name)\n".utf8))
      Glibc.exit(130)
    }
    source.resume()
    return source
  }
}

/// The channel as it was last seen, for the handlers of timers and signals.
private final class Latest: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Channel?
  var channel: Channel? {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}
