internal import Channels
internal import Meters
internal import RelayNetwork
internal import Storage

// The parts of a turn.
extension MessageKeeper {
  // MARK: - Channels

  var hasChannelsToLookAt: Bool { walk != nil || !changed.isEmpty || !isLoaded }

  /// Checks channels that have changed, and the next page of all channels.
  func lookAtChannels() async throws {
    if !isLoaded { try await load() }
    if !changed.isEmpty {
      let some = Set(changed.prefix(ChannelWalk.pageMax))
      try await look(at: some)
      changed.subtract(some)
    }
    guard let place = walk.map(\.place) else { return }
    let page = try await parts.channels.livingChannels(after: place, limit: ChannelWalk.pageMax)
    try await look(at: Set(page))
    guard walk?.passed(page) == true, let ended = walk else { return }
    // They may include deleted channels.
    changed.formUnion(ended.missing(of: follows.known))
    walk = ended.isStale ? ChannelWalk() : nil
  }

  func load() async throws {
    // Conversations begin with the decisions about them.
    while try await carryOutDecisions() {}
    let counters = try await parts.storage.messageCounters()
    follows.load(try await parts.storage.channelsWithConversation())
    // If posts were set back to an older state, posts with later revisions have changed.
    let posts = try await parts.posts.postCounters()
    mirrored = counters.mirrored <= posts.revision ? counters.mirrored : 0
    hub.publish(counters.revision)
    isLoaded = true
  }

  func look(at channels: Set<ChannelID>) async throws {
    guard !channels.isEmpty else { return }
    let stored = try await parts.channels.channels(channels)
    let addresses = directory.relays.filter { !$0.value.isDeleted }.mapValues(\.address)
    let steps = follows.steps(for: channels, stored, addresses: addresses)
    for entry in steps.unfollow {
      directory.networks[entry.network]?.unfollow(entry.channel.id)
      follows.unfollowed(entry.channel.id)
      requests.gone(entry.channel.id)
    }
    if !steps.end.isEmpty {
      freshness.remove(steps.end)
      let receipt = try await parts.storage.end(steps.end)
      follows.ended(steps.end)
      hub.publish(receipt.revision)
    }
    for channel in steps.begin {
      try await parts.storage.begin(channel, since: clock.timeOfDay)
      follows.began(channel)
    }
    for (channel, marks) in steps.mark.sorted(by: { $0.key < $1.key }) {
      let receipt = try await parts.storage.mark(channel, marks)
      follows.marked(channel, marks)
      hub.publish(receipt.revision)
    }
    for entry in steps.follow {
      directory.networks[entry.network]?.follow(entry.channel)
      follows.follows(entry)
      requests.changed(entry.channel.id, relays: places(of: entry))
    }
  }

  // MARK: - Decisions

  /// Stores this daemon's decisions for all daemons, and applies decisions of other daemons.
  func shareDecisions() async throws {
    // Recent decisions count in any case. Left-over decisions count only where there are no others.
    try await storeDecisions(areLeftOver: false)
    while try await carryOutDecisions() {}
    try await storeDecisions(areLeftOver: true)
  }

  private func storeDecisions(areLeftOver: Bool) async throws {
    while true {
      let new = try await parts.storage.newDecisions(isLeftOver: areLeftOver, limit: Self.decisionsMax)
      guard !new.isEmpty else { return }
      // Each in a separate part, so that one that cannot be stored does not prevent the others.
      let receipt = try await parts.decisions.commit(CommitRequest(new.map { CommitPart([.decide($0)]) }))
      while try await carryOutDecisions() {}
      if case .refused(let words)? = receipt.rejections.values.first { throw CommitFailure.refused(words) }
    }
  }

  /// - Returns: whether there may be more.
  private func carryOutDecisions() async throws -> Bool {
    let last = try await parts.storage.lastDecision()
    // The last decision is read again: if it differs now, everything was set back to an older state.
    var found = try await parts.decisions.decisions(after: (last?.revision ?? 1) - 1, limit: Self.decisionsMax)
    if let last {
      guard let first = found.first, first.revision > last.revision || first == last else {
        try await parts.storage.forgetRevisionsOfDecisions()
        return true
      }
      if first == last { found.removeFirst() }
    }
    guard !found.isEmpty else { return false }
    hub.publish(try await parts.storage.carryOut(found).revision)
    return true
  }

  // MARK: - News

  /// Stores the next part of the messages that were read, and then their freshness.
  func storeNews() async throws {
    guard isLoaded else { return }
    let batches = queue.next(newsMax: Self.newsMax)
    let news = batches.flatMap { batch in batch.news.map { ReadNews(relay: batch.relay, news: $0) } }
    if !news.isEmpty {
      let receipt = try await parts.storage.take(news, at: clock.timeOfDay, within: parts.limits)
      hub.publish(receipt.revision)
      if receipt.new > 0 { requests.found(in: Set(news.filter { !$0.news.isLive }.map(\.news.channel))) }
      if receipt.refused > 0 { metrics.note { $0.add(Double(receipt.refused), to: .messagesLeftOut) } }
    }
    queue.removeFirst(batches.count)
    for batch in batches { directory.networks[batch.id.network]?.took(batch.id) }
    guard !freshness.isEmpty else { return }
    try await parts.storage.note(freshness.rows)
    freshness.removeAll()
  }

  /// Passes stored messages of channels to networks, except the messages that a relay has served.
  func answerInventories() async throws {
    guard isLoaded else { return }
    for _ in 0..<Self.inventoriesMax {
      guard !inventories.isEmpty else { return }
      // A request that cannot be answered must not delay the others.
      inventories.append(inventories.removeFirst())
      guard let inventory = inventories.last else { return }
      let missing = try await parts.storage.names(
        in: inventory.channel, except: inventory.served, limit: MessageInventory.missingMax)
      inventories.removeLast()
      directory.networks[inventory.network]?.lacks(missing, in: inventory)
    }
  }

  // MARK: - Posts

  /// Posts of channels without a conversation are left out for good, so all channels come first.
  var canMirror: Bool { isMirrorDue && !hasChannelsToLookAt }

  /// Mirrors the next posts that have changed.
  func mirrorPosts() async throws {
    var pages = 0
    while canMirror, pages < Self.postPagesMax {
      pages += 1
      let known = postHub.revision
      let (posts, through) = try await parts.posts.changedPosts(after: mirrored, channels: nil, limit: Self.postsMax)
      if !posts.isEmpty || through > mirrored {
        let own = posts.filter { follows.hasConversation($0.row.channel) }
        let targets = PostMirror.targets(of: own)
        let named = targets.isEmpty ? [:] : try await parts.posts.posts(targets).found
        let messages = PostMirror.messages(of: own, targets: named)
        let receipt = try await parts.storage.mirror(messages, through: through)
        hub.publish(receipt.revision)
        mirrored = through
      }
      guard posts.isEmpty || through >= known else { continue }
      isMirrorDue = false
      watchPosts(after: max(known, through))
    }
  }

  /// Waits in a separate task until posts have a later revision.
  private func watchPosts(after revision: Int64) {
    watcher?.cancel()
    watcher = Task { [postHub, put] in
      guard await postHub.wait(after: revision), !Task.isCancelled else { return }
      put(.postsChanged)
    }
  }
}
