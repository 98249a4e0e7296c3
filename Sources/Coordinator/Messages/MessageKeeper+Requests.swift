internal import Channels
internal import RelayNetwork
internal import Storage

// Requests.
extension MessageKeeper {
  /// Answers a request, now or later.
  func answer(_ input: MessageInput) async {
    switch input {
    case .markRead(let channel, let message, let reply):
      reply.send(await marked(channel) { try await parts.storage.markRead(channel, through: message) })
    case .markUnread(let message, let channel, let reply):
      reply.send(await marked(channel) { try await parts.storage.markUnread(channel, from: message) })
    case .hide(let channel, let isHidden, let reply):
      reply.send(await marked(channel) { try await parts.storage.hide(channel, at: isHidden ? clock.timeOfDay : nil) })
    case .pinMessage(let message, let isPinned, let reply): reply.send(await pinned(message, isPinned))
    case .hideMessage(let message, let isHidden, let reply): reply.send(await hidden(message, isHidden))
    case .mute(let author, let isMuted, let reply): reply.send(await muted(author, isMuted))
    case .decline(let author, let channel, let reply): reply.send(await declined(author, in: channel))
    case .settle(let channel, let reply): reply.send(await settled(channel))
    case .sync(let channel, let number, let reply): sync(channel, number, reply)
    case .search(let search, let reply): self.search(search, reply)
    case .syncEnded(_, let number): requests.ended(number, trouble: troubles.reason)
    case .barrier(let reply):
      let posts = postHub.revision
      if posts > mirrored { isMirrorDue = true }
      requests.add(WaitingRequests.Barrier(batches: queue.received, posts: posts, reply: reply))
    case .read, .synced, .searched, .served, .channelChanged, .everythingChanged, .postsChanged, .decisionsChanged, .timersDue,
      .goOn:
      break
    }
  }

  /// Checks a channel, unless that was done in this turn.
  private func settled(_ channel: ChannelID) async -> Result<Void, BatonError> {
    do {
      if !isLoaded { try await load() }
      if changed.contains(channel) {
        try await look(at: [channel])
        changed.remove(channel)
      }
      return .success(())
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  private func marked(
    _ channel: ChannelID, _ mark: () async throws -> ConversationRow?
  ) async -> Result<ConversationRow, BatonError> {
    do {
      guard let row = try await mark() else { return .failure(.message(.notFollowed(channel))) }
      hub.publish(row.revision)
      try await keepDecision()
      return .success(row)
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  /// Returns once the decision is durable. If that fails it is tried again, and the decision already applies here.
  private func keepDecision() async throws {
    do {
      try await shareDecisions()
    } catch {
      areDecisionsDue = true
      throw error
    }
  }

  private func hidden(_ message: MessageID, _ isHidden: Bool) async -> Result<Void, BatonError> {
    do {
      guard let receipt = try await parts.storage.hideMessage(message, at: isHidden ? clock.timeOfDay : nil) else {
        return .failure(.message(.noSuchMessage(message)))
      }
      hub.publish(receipt.revision)
      try await keepDecision()
      return .success(())
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  private func pinned(_ message: MessageID, _ isPinned: Bool) async -> Result<Void, BatonError> {
    do {
      switch try await parts.storage.pinMessage(message, at: isPinned ? clock.timeOfDay : nil) {
      case .done(let receipt)?:
        hub.publish(receipt.revision)
        try await keepDecision()
        return .success(())
      case .tooMany?: return .failure(.message(.tooManyPinned(message)))
      case nil: return .failure(.message(.noSuchMessage(message)))
      }
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  private func muted(_ author: String, _ isMuted: Bool) async -> Result<Void, BatonError> {
    do {
      hub.publish(try await parts.storage.mute(author, at: isMuted ? clock.timeOfDay : nil).revision)
      try await keepDecision()
      return .success(())
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  private func declined(_ author: String, in channel: ChannelID) async -> Result<Bool, BatonError> {
    do {
      guard let receipt = try await parts.storage.decline(author, in: channel, at: clock.timeOfDay) else {
        return .success(false)
      }
      hub.publish(receipt.revision)
      try await keepDecision()
      return .success(true)
    } catch {
      return .failure(BatonError(reading: error))
    }
  }

  /// Reads all messages on a channel's relays.
  private func sync(_ channel: ChannelID, _ number: Int, _ reply: Reply<Bool>) {
    guard let entry = follows.entry(of: channel) else { return reply.send(.failure(notFollowed(channel))) }
    // A followed channel without readable relays is not up to date.
    let places = places(of: entry)
    guard !places.isEmpty else { return reply.send(.success(entry.channel.isOwned)) }
    requests.add(number, for: channel, relays: places, reply)
    directory.networks[entry.network]?.sync(channel)
  }

  /// Searches messages on a channel's relays.
  private func search(_ search: RelaySearch, _ reply: Reply<[RelayID: RelaySearchOutcome]>) {
    guard let entry = follows.entry(of: search.channel) else { return reply.send(.failure(notFollowed(search.channel))) }
    guard !entry.channel.relays.isEmpty else { return reply.send(.success([:])) }
    requests.add(search, relays: Set(entry.channel.relays.keys), reply)
    directory.networks[entry.network]?.search(search)
  }

  /// Why requests about a channel that is not read are refused.
  private func notFollowed(_ channel: ChannelID) -> BatonError {
    // While channels cannot be read, that is unknown.
    let trouble = hasChannelsToLookAt ? troubles.reason.map { BatonError.storageUnavailable(reason: $0) } : nil
    return trouble ?? .message(.notFollowed(channel))
  }
}
