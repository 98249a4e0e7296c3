internal import Channels
internal import Logging
internal import Meters
internal import RelayNetwork
internal import Storage

/// The task that reads messages: it makes networks follow channels, stores the messages that they read, and mirrors posts.
///
/// A turn handles new inputs and a bounded part of the remaining work, so that no flood and no number of channels holds up requests:
///
/// 1. Channels: changed ones, and a page of unchecked ones. Conversations begin before channels are followed.
/// 2. Requests, in order.
/// 3. People's decisions: other daemons' decisions are applied, and this daemon's are stored for all daemons.
/// 4. News: a limited number of messages is stored in one commit, then networks are informed, and then the freshness is stored. A few
/// relays that were read are compared with the stored messages.
/// 5. Posts: a few pages of changed posts, once all channels were checked, because posts of channels without a conversation are left out.
///
/// Failed work is kept and repeated later, while the other parts continue.
final class MessageKeeper {
  let parts: MessageParts
  let directory: RelayDirectory
  let clock: any CoordinatorClock
  let logger: Logger
  let hub: MessageHub
  let postHub: PostHub
  let metrics: MetricBook
  /// Puts an input of its own into the inbox.
  let put: @Sendable (MessageInput) -> Void
  let waker: Waker

  var follows: FollowList
  /// Whether the stored state was read.
  var isLoaded = false
  /// The walk through all channels that is under way.
  var walk: ChannelWalk? = ChannelWalk()
  /// Channels to check.
  var changed: Set<ChannelID> = []
  var queue = NewsQueue()
  /// Requests for messages that relays no longer serve. Each relay has at most one.
  var inventories: [MessageInventory] = []
  var freshness = FreshnessNotes()
  /// The revision up to which posts were mirrored.
  var mirrored: Int64 = 0
  var isMirrorDue = true
  /// Whether there may be decisions that are not shared yet.
  var areDecisionsDue = true
  var troubles = KeepingTroubles()
  var requests = WaitingRequests()
  /// Waits until posts change.
  var watcher: Task<Void, Never>?
  /// Whether a turn follows without an input from outside.
  private var isGoing = false

  /// The maximum number of news in one commit.
  static let newsMax = 1_000
  /// The number of relays that one turn compares with stored messages.
  static let inventoriesMax = 4
  /// The number of posts on a page, and of pages in one turn.
  static let postsMax = 64
  static let postPagesMax = 4
  /// The number of decisions that are stored or carried out together.
  static let decisionsMax = 500

  init(
    _ parts: MessageParts, directory: RelayDirectory, clock: any CoordinatorClock, logger: Logger, hub: MessageHub,
    postHub: PostHub, metrics: MetricBook, put: @escaping @Sendable (MessageInput) -> Void
  ) {
    self.parts = parts
    self.directory = directory
    self.clock = clock
    self.logger = logger
    self.hub = hub
    self.postHub = postHub
    self.metrics = metrics
    self.put = put
    waker = Waker(clock: clock) { put(.timersDue) }
    follows = FollowList(window: parts.window, networks: Set(directory.networks.keys)) { directory.canReach($0, on: $1) }
  }

  deinit { watcher?.cancel() }

  /// Begins to follow all channels.
  func begin() async { await turn([]) }

  /// Handles inputs.
  func process(_ inputs: [MessageInput]) async {
    var asked: [MessageInput] = []
    for input in inputs { if note(input) { asked.append(input) } }
    await turn(asked)
  }

  /// Stops following channels, and stores the messages that were read. Messages that cannot be stored are read again after the next start.
  func end() async {
    watcher?.cancel()
    for entry in follows.entries { directory.networks[entry.network]?.unfollow(entry.channel.id) }
    do {
      while isLoaded, !queue.isEmpty { try await storeNews() }
    } catch {
      if troubles.failed(.news, "\(error)", at: clock.now) { tellTrouble("\(error)") }
    }
    waker.stop()
    requests.refuseAll(.busy)
  }

  // MARK: - A turn

  /// Handles an input.
  /// - Returns: whether it is a request, which is answered in its turn.
  private func note(_ input: MessageInput) -> Bool {
    switch input {
    case .read(let batch): queue.add(batch)
    case .synced(let channel, let relay, let outcome): synced(channel, relay, outcome)
    case .searched(let channel, let relay, let number, let outcome):
      requests.searched(channel, relay, number: number, outcome)
    case .served(let inventory): inventories.append(inventory)
    case .channelChanged(let channel): changed.insert(channel)
    case .everythingChanged: if walk == nil { walk = ChannelWalk() } else { walk?.grewStale() }
    case .postsChanged: isMirrorDue = true
    case .decisionsChanged: areDecisionsDue = true
    case .timersDue: waker.heard()
    case .goOn: isGoing = false
    case .markRead(let channel, _, _), .markUnread(_, let channel, _), .sync(let channel, _, _), .hide(let channel, _, _):
      // The walk may not have reached this channel.
      if walk != nil, !follows.hasConversation(channel) { changed.insert(channel) }
      return true
    case .search(let search, _):
      if walk != nil, !follows.hasConversation(search.channel) { changed.insert(search.channel) }
      return true
    case .settle(let channel, _):
      changed.insert(channel)
      return true
    case .syncEnded, .barrier, .hideMessage, .pinMessage, .mute, .decline: return true
    }
    return false
  }

  private func turn(_ asked: [MessageInput]) async {
    await attempt(.channels) { try await lookAtChannels() }
    for input in asked { await answer(input) }
    if areDecisionsDue, isLoaded {
      await attempt(.decisions) {
        try await shareDecisions()
        areDecisionsDue = false
      }
    }
    await attempt(.news) { try await storeNews() }
    await attempt(.comparisons) { try await answerInventories() }
    // Posts wait for channels.
    let doPostsWait = isMirrorDue && !canMirror
    if !doPostsWait { await attempt(.posts) { try await mirrorPosts() } }
    answerWaiting()
    if !isGoing, hasMore {
      isGoing = true
      put(.goOn)
    }
    waker.set(troubles.next(of: Set(KeepingTroubles.Part.allCases).subtracting(doPostsWait ? [.posts] : [])))
  }

  /// Does a part of the work, unless it has just failed. The journal has an entry when the first part fails, and when all work again.
  private func attempt(_ part: KeepingTroubles.Part, _ work: () async throws -> Void) async {
    guard troubles.mayTry(part, at: clock.now) else { return }
    do {
      try await work()
      guard troubles.worked(part) else { return }
      logger.event(.messagesStoredAgain, .notice, "messages are read and stored again, including missed ones")
    } catch {
      if troubles.failed(part, "\(error)", at: clock.now) { tellTrouble("\(error)") }
    }
  }

  private func tellTrouble(_ reason: String) {
    logger.event(
      .messagesNotStored, .error,
      "cannot read or store messages: \(reason). Baton retries automatically. Channels and posts are not affected")
  }

  /// Whether there is work that need not wait.
  private var hasMore: Bool {
    let now = clock.now
    if hasChannelsToLookAt, troubles.mayTry(.channels, at: now) { return true }
    if isLoaded, areDecisionsDue, troubles.mayTry(.decisions, at: now) { return true }
    if isLoaded, !queue.isEmpty, troubles.mayTry(.news, at: now) { return true }
    if isLoaded, !inventories.isEmpty, troubles.mayTry(.comparisons, at: now) { return true }
    return canMirror && troubles.mayTry(.posts, at: now)
  }

  // MARK: - Waiting requests

  private func answerWaiting() {
    let channels = requests.synced(isStored: freshness.isEmpty, trouble: troubles.reason) { channel in
      follows.entry(of: channel).map { places(of: $0) } ?? []
    }
    for channel in channels.sorted() {
      if let entry = follows.entry(of: channel) { directory.networks[entry.network]?.sync(channel) }
    }
    guard !requests.barriers.isEmpty else { return }
    let hasLooked = isLoaded && !hasChannelsToLookAt && freshness.isEmpty
    requests.answerBarriers(trouble: troubles.reason) { barrier in
      hasLooked && queue.stored >= barrier.batches && (mirrored >= barrier.posts || !isMirrorDue)
    }
  }

  /// The relays that report how far a channel was read.
  func places(of entry: FollowList.Entry) -> Set<RelayID> {
    entry.channel.places(asMember: directory.networks[entry.network]?.readsAsMember == true)
  }

  /// A relay's messages were read, or that failed.
  private func synced(_ channel: ChannelID, _ relay: RelayID, _ outcome: MessageSync) {
    // A relay that the channel has left may still answer.
    guard let entry = follows.entry(of: channel), places(of: entry).contains(relay) else { return }
    freshness.add(channel, relay, outcome, at: clock.timeOfDay)
    requests.answered(channel, relay, isComplete: outcome == .complete)
  }
}
