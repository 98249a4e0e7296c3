internal import Channels
internal import PostgreSQLStore
internal import Storage
internal import Store

/// What the control plane asks of a store, besides posts and lists.
protocol TestedFigures: Sendable {
  func channels(named name: String, limit: Int) async throws -> [ChannelID]
  func transitions(of channel: ChannelID, limit: Int) async throws -> [TransitionRow]
  func transitions(matching seek: TransitionSeek, before revision: Int64, limit: Int) async throws -> TransitionPart
  func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost]
  func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow]
  func newestChanges(after revision: Int64, through end: Int64, limit: Int) async throws -> [ChangeRow]
  func oldestRevision() async throws -> Int64
  func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) async throws -> HealthPart
  func roundTrips(of peer: Probed) async throws -> [MeasuredConnection]
  func channelCounts(of relays: [RelayID]) async throws -> [RelayID: Int]
  func channelCounts(of identities: [IdentityID]) async throws -> [IdentityID: Int]
  func totals() async throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int)
  func census() async throws -> Census
  func outcomes() async throws -> RelayOutcomes
  func roundTripsOfRelays() async throws -> [RelayID: [Int64]]
  func losses() async throws -> [ChannelLoss]
  func failedChannelCount() async throws -> Int
}

extension SharedStore: TestedFigures {}

extension Store: TestedFigures {}

/// What tests ask of storage. A store in a file answers without a change of threads.
typealias TestedStorage = CoordinatorStorage & DecisionStorage & KnownChannelStorage & PostReading & PostStorage & TestedFigures

extension FaultyStorage {
  /// Asks the store and its twin what people ask, about all that is stored. It does nothing without a twin.
  public func compareFigures() async {
    guard twin != nil, let counters = try? store.counters(), let posts = try? store.postCounters() else { return }
    var draw = SplitMix64(seed: UInt64(bitPattern: counters.revision) &+ 1)
    let channels = (1...max(1, counters.channel)).suffix(20).map(ChannelID.init(rawValue:))
    let relays = (0...counters.relay).map(RelayID.init(rawValue:))
    func compare<Value: Sendable>(
      _ question: String, _ ask: @escaping (any TestedStorage) async throws -> Value
    ) async {
      // A failure is compared, too.
      _ = try? await both(question, ask: ask)
    }
    for _ in 0..<3 {
      let (after, limit) = (Int64.random(in: 0...counters.revision, using: &draw), Int.random(in: 1...40, using: &draw))
      let end = Int64.random(in: after...counters.revision, using: &draw)
      await compare("changes") { try await $0.changes(after: after, limit: limit) }
      await compare("newestChanges") { try await $0.newestChanges(after: after, through: end, limit: limit) }
    }
    for _ in 0..<4 {
      let seek = Self.seek(channels, relays, &draw)
      let (before, limit) = (
        Int64.random(in: 0...counters.revision + 1, using: &draw), Int.random(in: 1...40, using: &draw)
      )
      await compare("transitions(\(seek))") { try await $0.transitions(matching: seek, before: before, limit: limit) }
    }
    for _ in 0..<2 {
      let (before, limit) = (
        Int64.random(in: 0...counters.revision + 1, using: &draw), Int.random(in: 1...40, using: &draw)
      )
      await compare("health") { try await $0.health(of: nil, before: before, limit: limit) }
      let peers = Set(relays.prefix(2).flatMap { [Probed.relay($0), .server(ServerID(rawValue: $0.rawValue))] })
      await compare("health of some") { try await $0.health(of: peers, before: before, limit: limit) }
    }
    await compare("oldestRevision") { try await $0.oldestRevision() }
    await compare("totals") { try await $0.totals() }
    await compare("census") { try await $0.census() }
    await compare("outcomes") { try await $0.outcomes() }
    await compare("roundTripsOfRelays") { try await $0.roundTripsOfRelays() }
    await compare("losses") { try await $0.losses() }
    await compare("failedChannelCount") { try await $0.failedChannelCount() }
    await compare("channelCounts") { try await $0.channelCounts(of: relays) }
    await compare("channelCounts") { try await $0.channelCounts(of: [IdentityID(rawValue: 1), IdentityID(rawValue: 2)]) }
    await compare("lastPosts") { try await $0.lastPosts(of: Set(channels)) }
    for relay in relays.suffix(4) {
      await compare("roundTrips") { try await $0.roundTrips(of: .relay(relay)) }
      await compare("roundTrips") { try await $0.roundTrips(of: .server(ServerID(rawValue: relay.rawValue))) }
    }
    await compare("livingChannels") { try await $0.livingChannels(after: channels[0], limit: 5) }
    await compare("channelsServedOnSimpleX") { try await $0.channelsServedOnSimpleX(after: nil, limit: 5, among: .all) }
    for channel in channels {
      await compare("transitions") { try await $0.transitions(of: channel, limit: 7) }
      await compare("postRetention") { try await $0.postRetention(of: channel) }
    }
    if let row = (try? store.channel(channels[0]))??.row {
      await compare("channels(named:)") { try await $0.channels(named: row.profile.displayName, limit: 3) }
      await compare("channel(onSimpleX:)") { try await $0.channel(onSimpleX: row.networkID, among: .all) }
    }
    guard posts.post > 0 else { return }
    for _ in 0..<12 {
      let question = Self.question(posts.post, channels, relays, &draw)
      await compare("posts(\(question))") { try await $0.posts(question) }
    }
    for post in (1...posts.post).suffix(5).map(PostID.init(rawValue:)) {
      await compare("post") { try await $0.post(post) }
      await compare("postTransitions") { try await $0.postTransitions(of: post, limit: 5) }
    }
  }

  private static func seek(
    _ channels: [ChannelID], _ relays: [RelayID], _ draw: inout SplitMix64
  ) -> TransitionSeek {
    func some<T: Hashable>(_ all: [T], _ draw: inout SplitMix64) -> Set<T>? {
      Bool.random(using: &draw) ? nil : Set(all.shuffled(using: &draw).prefix(Int.random(in: 0...3, using: &draw)))
    }
    var seek = TransitionSeek()
    seek.channels = some(channels, &draw)
    seek.relays = some(relays, &draw)
    if Int.random(in: 0..<3, using: &draw) == 0 { seek.causes = some(Cause.allCases.map(\.rawValue), &draw) }
    seek.statuses = some(RelayStatus.allCases.map(\.rawValue), &draw)
    return seek
  }

  private static func question(
    _ posts: Int64, _ channels: [ChannelID], _ relays: [RelayID], _ draw: inout SplitMix64
  ) -> PostQuestion {
    func flip(_ draw: inout SplitMix64) -> Bool { Bool.random(using: &draw) }
    let post = PostID(rawValue: Int64.random(in: 0...posts + 1, using: &draw))
    let places: [PostQuestion.Place] = [.newest, .before(post), .after(post), .around(post)]
    return PostQuestion(
      channel: flip(&draw) ? channels.randomElement(using: &draw) : nil,
      relay: flip(&draw) ? relays.randomElement(using: &draw) : nil,
      status: flip(&draw) ? DeliveryStatus.allCases.randomElement(using: &draw) : nil,
      cause: Int.random(in: 0..<4, using: &draw) == 0 ? Cause.allCases.randomElement(using: &draw) : nil,
      withDeleted: flip(&draw), reactionTo: Int.random(in: 0..<6, using: &draw) == 0 ? post : nil,
      withReactions: flip(&draw), onlyDrafts: Int.random(in: 0..<6, using: &draw) == 0,
      place: places.randomElement(using: &draw) ?? .newest, limit: Int.random(in: 1...9, using: &draw))
  }
}
