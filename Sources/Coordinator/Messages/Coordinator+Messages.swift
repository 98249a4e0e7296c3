public import Channels
public import RelayNetwork
public import Storage

extension Coordinator {
  /// Whether the messages of channels are read at all.
  public var readsMessages: Bool { messages != nil }

  /// Marks everything in a channel up to a message as read, in the order of arrival; everything there is if it is `nil`.
  /// - Throws: `NotFollowed`, among others.
  public func markRead(_ channel: ChannelID, through message: MessageID?) async throws(BatonError) -> ConversationRow {
    try await askMessages(of: channel) { .markRead(channel, through: message, $0) }
  }

  /// Marks a message and everything that arrived after it as unread.
  /// - Parameter channel: that of the message.
  public func markUnread(
    _ message: MessageID, in channel: ChannelID
  ) async throws(BatonError) -> ConversationRow {
    try await askMessages(of: channel) { .markUnread(message, in: channel, $0) }
  }

  /// Leaves a conversation out of the inbox, until something new is said there, or shows it again.
  /// - Throws: `NotFollowed`, among others.
  public func hideMessages(of channel: ChannelID, _ isHidden: Bool) async throws(BatonError) {
    let _: ConversationRow = try await askMessages(of: channel) { .hide(channel, isHidden, $0) }
  }

  /// Hides a message, or shows it again. It stays hidden while its author is muted.
  /// - Throws: `noSuchMessage`, among others.
  public func hideMessage(_ message: MessageID, _ isHidden: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .hideMessage(message, isHidden, $0) }
  }

  /// Pins a message here, or takes that away; no one else learns of it.
  /// - Throws: `noSuchMessage` and `tooManyPinned`, among others.
  public func pinMessage(_ message: MessageID, _ isPinned: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .pinMessage(message, isPinned, $0) }
  }

  /// Hides the messages of an author, those that are there and those to come, or shows them again.
  /// - Parameter author: in the network's notation.
  public func mute(_ author: String, _ isMuted: Bool) async throws(BatonError) {
    let _: Void = try await askMessages(of: nil) { .mute(author, isMuted, $0) }
  }

  /// The name of someone as messages have it.
  /// - Parameter text: as people write it, such as npub1….
  /// - Returns: `nil` if no network knows such a name.
  public func author(from text: String) -> String? {
    directory.networks.values.lazy.compactMap { $0.author(from: text) }.first
  }

  /// Returns once what was decided about a channel is stored for its messages, too. Where none are read, that is at once.
  public func settleMessages(of channel: ChannelID) async throws(BatonError) {
    guard messages != nil else { return }
    let _: Void = try await askMessages(of: channel) { .settle(channel, $0) }
  }

  /// Asks the relays of a channel for everything that they hold of its messages, and waits until each has answered or failed to.
  /// - Parameter patience: how long to wait; the relays go on being asked after that.
  /// - Returns: whether all of them were read.
  public func syncMessages(of channel: ChannelID, within patience: Duration) async throws(BatonError) -> Bool {
    let number = syncNumbers.next()
    return try await askRelays(of: channel, number, within: patience) { .sync(channel, number: number, $0) }
  }

  /// Has the relays of a channel that say that they search look for messages, and waits until each has answered or failed to. What they
  /// find is stored like everything else that is read.
  /// - Parameters:
  ///   - text: the words, in the relays' own way of reading them.
  ///   - patience: how long to wait.
  /// - Returns: what became of it at each relay.
  public func searchRelays(
    of channel: ChannelID, for text: String, within patience: Duration
  ) async throws(BatonError) -> [RelayID: RelaySearchOutcome] {
    let search = RelaySearch(channel: channel, number: syncNumbers.next(), text: text)
    return try await askRelays(of: channel, search.number, within: patience) { .search(search, $0) }
  }

  /// Asks for something that relays answer.
  private func askRelays<Value: Sendable>(
    of channel: ChannelID, _ number: Int, within patience: Duration, _ input: (Reply<Value>) -> MessageInput
  ) async throws(BatonError) -> Value {
    // What is in another chat core is read by that one's daemon.
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

  /// Returns once everything about messages that came before is done.
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
