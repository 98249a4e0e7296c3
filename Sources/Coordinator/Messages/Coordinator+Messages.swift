public import Channels
public import RelayNetwork
public import Storage

extension Coordinator {
  /// Whether the messages of channels are read at all.
  public var readsMessages: Bool { messages != nil }

  /// Marks the messages of a channel as read, in the order of arrival, up to a message. `nil` marks all of them.
  /// - Throws: `NotFollowed`, among others.
  public func markRead(_ channel: ChannelID, through message: MessageID?) async throws(BatonError) -> ConversationRow {
    try await askMessages(of: channel) { .markRead(channel, through: message, $0) }
  }

  /// Marks a message and everything that arrived after it as unread.
  /// - Parameter channel: the message's channel.
  public func markUnread(
    _ message: MessageID, in channel: ChannelID
  ) async throws(BatonError) -> ConversationRow {
    try await askMessages(of: channel) { .markUnread(message, in: channel, $0) }
  }

  /// Leaves a conversation out of the inbox until it has a new message, or shows it again.
  /// - Throws: `NotFollowed`, among others.
  public func hideMessages(of channel: ChannelID, _ isHidden: Bool) async throws(BatonError) {
    let _: ConversationRow = try await askMessages(of: channel) { .hide(channel, isHidden, $0) }
  }

  /// Hides a message, or shows it again. It remains hidden while its author is muted.
  /// - Throws: `noSuchMessage`, among others.
  public func hideMessage(_ message: MessageID, _ isHidden: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .hideMessage(message, isHidden, $0) }
  }

  /// Pins a message in Baton, or unpins it. Readers do not see this.
  /// - Throws: `noSuchMessage` and `tooManyPinned`, among others.
  public func pinMessage(_ message: MessageID, _ isPinned: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .pinMessage(message, isPinned, $0) }
  }

  /// Hides all messages of an author, including future ones, or shows them again.
  /// - Parameter author: the author in the network's notation.
  public func mute(_ author: String, _ isMuted: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .mute(author, isMuted, $0) }
  }

  /// A person's name in the notation of messages.
  /// - Parameter text: the name as people write it, such as npub1….
  /// - Returns: `nil` if no network has such a name.
  public func author(from text: String) -> String? {
    directory.networks.values.lazy.compactMap { $0.author(from: text) }.first
  }

  /// Returns once earlier decisions about a channel are stored for its messages, too. If messages are not read, it returns immediately.
  public func settleMessages(of channel: ChannelID) async throws(BatonError) {
    guard messages != nil else { return }
    let _: Void = try await askMessages(of: channel) { .settle(channel, $0) }
  }

  /// Reads all messages that a channel's relays have, and waits until each relay has answered or failed.
  /// - Parameter patience: how long to wait. The relays continue to be read after that.
  /// - Returns: whether all of them were read.
  public func syncMessages(of channel: ChannelID, within patience: Duration) async throws(BatonError) -> Bool {
    let number = syncNumbers.next()
    return try await askRelays(of: channel, number, within: patience) { .sync(channel, number: number, $0) }
  }

  /// Searches messages on a channel's relays with a search function, and waits until each relay has answered or failed. Found messages are
  /// stored like others.
  /// - Parameters:
  ///   - text: the words, in the relays' own syntax.
  ///   - patience: how long to wait.
  /// - Returns: the outcome at each relay.
  public func searchRelays(
    of channel: ChannelID, for text: String, within patience: Duration
  ) async throws(BatonError) -> [RelayID: RelaySearchOutcome] {
    let search = RelaySearch(channel: channel, number: syncNumbers.next(), text: text)
    return try await askRelays(of: channel, search.number, within: patience) { .search(search, $0) }
  }

  /// Makes a request that relays answer.
  private func askRelays<Value: Sendable>(
    of channel: ChannelID, _ number: Int, within patience: Duration, _ input: (Reply<Value>) -> MessageInput
  ) async throws(BatonError) -> Value {
    // The daemon of another chat core reads the channels of that core.
    if !directory.canReach(channel, on: .simplex) {
      let stored = try await self.channel(channel)
      guard directory.canReach(channel, on: stored.row.network) else { throw .elsewhere(channel) }
    }
    let end = clock.now + patience
    let inbox = messageInbox
    // The end must not come in before the beginning.
    let (isAsked, asked) = AsyncStream.makeStream(of: Never.self)
    let alarm = Task { [clock] in
      for await _ in isAsked {}
      guard (try? await clock.sleep(until: end)) != nil else { return }
      inbox.put(.syncEnded(channel, number: number))
    }
    defer { alarm.cancel() }
    return try await askMessages(of: channel, input, whenAsked: { asked.finish() })
  }

  /// Returns once all earlier inputs about messages are done.
  func messageBarrier() async throws(BatonError) {
    try await askMessages(of: nil) { .barrier($0) }
  }

  func askMessages<Value: Sendable>(
    of channel: ChannelID?, _ input: (Reply<Value>) -> MessageInput, whenAsked: () -> Void = {}
  ) async throws(BatonError) -> Value {
    guard messages != nil else { throw channel.map { .message(.notFollowed($0)) } ?? .busy }
    let result: Result<Value, BatonError> = await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      if !messageInbox.put(input(reply), limit: requestsMax) { continuation.resume(returning: .failure(.busy)) }
      whenAsked()
    }
    return try result.get()
  }
}
