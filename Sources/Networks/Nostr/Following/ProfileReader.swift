internal import Channels
internal import DequeModule
internal import RelayNetwork
internal import StrictJSON

/// Asks a relay for the profiles (kind 0) of the authors whose messages it has served, one request after the other and each author once a
/// day. It is a part of `FollowerMachine`, and comes after everything else: names are a comfort.
struct ProfileReader: Sendable {
  /// How many authors one request names.
  static let authorsMax = 50
  /// How many authors wait to be asked for, and how many are known to have been. The rest are left out, or asked for again.
  static let waitingMax = 500
  static let askedMax = 2_000
  /// For how long company is awaited before a request, and after how long authors are asked for again, in ticks.
  static let gatherTicks = 1
  static let againTicks = FollowerMachine.wholeTicks
  /// The wait before an author without a profile is asked for again, in ticks. It doubles each time, up to `againTicks`.
  static let namelessTicks = 12
  /// The wait after a relay did not answer such a request, in ticks.
  static let retryTicks = FollowerMachine.retryTicks
  /// The largest profile that is accepted, in bytes.
  static let contentBytesMax = 65_536

  private let limits: NostrLimits
  private let prefix: String
  private var subscriptionNumber = 0
  private var waiting: Deque<String> = []
  /// The authors that wait or were asked for, each with a channel in which they wrote.
  private var channels: [String: ChannelID] = [:]
  private var asking: (name: String, authors: Set<String>)?
  /// The newest profile of each author that the relay has served so far.
  private var found: [String: NostrEvent] = [:]
  /// The authors without a profile at the relay, and when they are asked for again.
  private var nameless: [String: (ticks: Int, wait: Int)] = [:]
  private var ticksLeft = 0
  private var ticksUntilAgain = Self.againTicks

  /// - Parameter prefix: the beginning of the names of requests, because sessions may share a connection.
  init(limits: NostrLimits, prefix: String) {
    self.limits = limits
    self.prefix = prefix
  }

  func asks(_ name: String) -> Bool { name == asking?.name }

  /// Whether the queue is full, so that the waiting authors should come before history.
  var isFull: Bool { waiting.count >= Self.waitingMax }

  /// Wants the profile of someone who wrote in a channel.
  mutating func want(_ author: String, in channel: ChannelID) {
    guard channels[author] == nil, waiting.count < Self.waitingMax else { return }
    if channels.count >= Self.askedMax { forgetAsked() }
    if waiting.isEmpty { ticksLeft = max(ticksLeft, Self.gatherTicks) }
    channels[author] = channel
    waiting.append(author)
  }

  /// Forgets the authors that were asked for, except authors that wait or are being asked for.
  private mutating func forgetAsked() {
    let kept = Set(waiting).union(asking?.authors ?? [])
    channels = channels.filter { kept.contains($0.key) }
    nameless = nameless.filter { kept.contains($0.key) }
  }

  /// Forgets that the authors in a channel were asked for: their names may be wanted again.
  mutating func forget(_ channel: ChannelID) {
    let kept = Set(waiting).union(asking?.authors ?? [])
    channels = channels.filter { $0.value != channel || kept.contains($0.key) }
    nameless = nameless.filter { channels[$0.key] != nil }
  }

  /// Begins a new connection, or forgets the request because it is gone.
  mutating func reset() {
    giveUp()
    ticksLeft = min(ticksLeft, Self.gatherTicks)
  }

  mutating func tick() {
    ticksLeft = max(0, ticksLeft - 1)
    for author in nameless.keys.sorted() {
      guard let left = nameless[author]?.ticks, left > 0 || left == 0 && waiting.count < Self.waitingMax else { continue }
      nameless[author]?.ticks = left - 1
      if left == 0 { waiting.append(author) }
    }
    ticksUntilAgain -= 1
    guard ticksUntilAgain <= 0 else { return }
    ticksUntilAgain = Self.againTicks
    forgetAsked()
  }

  /// Asks for the next profiles, unless some are asked for. The connection must be open.
  /// - Parameter isFollowed: whether a channel is still followed.
  mutating func askNext(_ isFollowed: (ChannelID) -> Bool) -> [FollowerMachine.Action] {
    guard asking == nil, ticksLeft == 0, !waiting.isEmpty else { return [] }
    var authors: Set<String> = []
    while authors.count < Self.authorsMax, let author = waiting.popFirst() {
      if channels[author].map(isFollowed) == true { authors.insert(author) } else { channels[author] = nil }
    }
    guard !authors.isEmpty else { return [] }
    subscriptionNumber += 1
    let name = "\(prefix)p\(subscriptionNumber)"
    asking = (name, authors)
    let filter: JSONValue = [
      "kinds": [.integer(Int64(PublicChannel.profileKind))], "authors": .array(authors.sorted().map(JSONValue.string)),
      "limit": .integer(Int64(authors.count)),
    ]
    // Relays keep one profile of each author, and some keep more.
    return [
      .expect(frames: 4 * authors.count, bytes: PageReader.pageBytesMax), .send(ClientMessage.request(name, [filter])),
      .setTimer(.answerProfiles, after: limits.readTimeout),
    ]
  }

  /// Handles an event that the relay serves for the request.
  mutating func take(_ event: NostrEvent) {
    guard let asking, event.kind == PublicChannel.profileKind, asking.authors.contains(event.publicKey),
      event.content.utf8.count <= Self.contentBytesMax
    else { return }
    if let known = found[event.publicKey], !event.isNewer(than: known) { return }
    guard (try? event.verify()) != nil else { return }
    found[event.publicKey] = event
  }

  /// Handles the end of the stored events.
  /// - Returns: the names in the profiles.
  mutating func served() -> (news: [MessageNews], actions: [FollowerMachine.Action]) {
    guard let asking else { return ([], []) }
    let news = found.values.sorted { $0.publicKey < $1.publicKey }.compactMap { event -> MessageNews? in
      guard let channel = channels[event.publicKey], let profile = ReadProfile(event) else { return nil }
      return MessageNews(channel: channel, isLive: false, what: .profile(profile))
    }
    for author in asking.authors {
      let wait = nameless[author].map { min(2 * $0.wait, Self.againTicks) } ?? Self.namelessTicks
      nameless[author] = found[author] == nil ? (wait, wait) : nil
    }
    (self.asking, found) = (nil, [:])
    return (news, [.cancelTimer(.answerProfiles), .send(ClientMessage.close(asking.name))])
  }

  /// Handles a request that the relay ended. A relay without profiles may have everything else.
  mutating func closed() -> [FollowerMachine.Action] {
    giveUp()
    ticksLeft = Self.retryTicks
    return [.cancelTimer(.answerProfiles)]
  }

  /// Handles a request that was not answered in time like a request that the relay ended.
  mutating func timedOut() -> [FollowerMachine.Action] {
    guard let asking else { return [] }
    giveUp()
    ticksLeft = Self.retryTicks
    return [.send(ClientMessage.close(asking.name))]
  }

  /// The authors that are asked for wait again.
  private mutating func giveUp() {
    waiting.append(contentsOf: asking?.authors.sorted() ?? [])
    (asking, found) = (nil, [:])
  }
}

extension ReadProfile {
  /// - Parameter event: of kind 0, verified.
  /// - Returns: `nil` if it has no name.
  init?(_ event: NostrEvent) {
    guard let members = (try? JSONParser.parse(event.content))?.object else { return nil }
    // People see this one where there is one (NIP-24).
    let names = [members["display_name"], members["name"]].compactMap { $0?.string?.trimmed }
    guard let name = names.first(where: { !$0.isEmpty }) else { return nil }
    self.init(
      author: event.publicKey, name: name.cut(toBytes: Self.nameMax), domainName: Self.domainName(members["nip05"]?.string),
      createdAt: Timestamp(seconds: max(0, event.createdAt)))
  }
}

extension ReadProfile {
  /// A name at a domain in the form that is shown (NIP-05), or `nil` if it is not valid. `_@example.com` is the domain itself.
  private static func domainName(_ text: String?) -> String? {
    guard let text = text?.trimmed.lowercased(), (3...domainNameMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), text.contains(".") || text.contains("@")
    else { return nil }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    return parts.count == 2 && parts[0] == "_" ? String(parts[1]) : text
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? startIndex
    return String(self[..<end].drop(while: \.isWhitespace))
  }
}
