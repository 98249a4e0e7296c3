public import ControlAPI
internal import Varlink

/// The messages of one channel, newest first. The list loads the newest page, and older pages on request, follows all later changes,
/// reconnects automatically when the daemon was away, and reports changes as steps that lists in user interfaces understand. Deleted and
/// hidden messages are left out.
///
/// Messages that the daemon dropped because there are too many remain until the list is loaded again. A message has the name that the
/// channel had when the message was sent.
public actor LiveMessages {
  public typealias State = LiveList<Channel>.State

  public enum Event: Sendable {
    case state(State)
    /// Steps from the previous list to `elements`. Apply them in order.
    case changes([ListChange<Message>])
    /// All loaded messages. Replaces the steps if too many changes were unread.
    case replaced([Message])
    /// The current conversation, for example with the number of unread messages.
    case conversation(Conversation)
  }

  /// All events, in order, from the beginning. There may be only one reader.
  public nonisolated let events: AsyncStream<Event>
  /// The loaded messages, newest first.
  public var elements: [Message] { window.elements }
  /// The channel's conversation, or `nil` before it was loaded and if the channel has no conversation.
  public private(set) var conversation: Conversation?
  public private(set) var state = State.initial
  /// Whether there are older messages, which `loadOlder` loads.
  public var hasOlder: Bool { window.anchor != nil }

  private let socket: String
  private let channelID: Int64
  private let pageSize: Int
  private let report: EventQueue<Event>
  private var window = LiveMessageWindow()
  /// The revision up to which the list has all changes, or `nil` if it must be loaded.
  private var revision: Int64?
  private var following: Task<Void, Never>?
  /// The number of times that following was started. Results of earlier turns are ignored.
  private var turn = 0
  /// The number of times that the list was loaded.
  private var loads = 0
  private var isLoading = false
  private var isStopped = false

  /// - Parameters:
  ///   - channelID: identifier of the channel.
  ///   - pageSize: messages per page, 1 to 100.
  ///   - eventsWaitingMax: how many events may wait for their reader. Beyond that, a few with the same meaning replace them.
  public init(
    channelID: Int64, socket: String = BatonClient.defaultSocket, pageSize: Int = 25, eventsWaitingMax: Int = 1000
  ) {
    self.channelID = channelID
    self.socket = socket
    self.pageSize = min(max(pageSize, 1), 100)
    report = EventQueue(waitingMax: eventsWaitingMax)
    events = report.stream
  }

  deinit {
    following?.cancel()
    report.finish()
  }

  /// Loads the newest messages and follows their changes. Call this only once.
  public func start() {
    guard following == nil, state == .initial else { return }
    enter(.loading)
    follow()
  }

  /// Ends the list and `events`. The list cannot be started again.
  public func stop() {
    following?.cancel()
    isStopped = true
    report.finish()
  }

  /// Loads one more page of older messages, if there is one. If the daemon has dropped the message at which the page would end, everything
  /// is loaded again instead.
  /// - Throws: `VarlinkError` of the daemon, or `VarlinkClient.Failure`. The list is then unchanged.
  public func loadOlder() async throws {
    guard let anchor = window.anchor, !isLoading, !isStopped else { return }
    isLoading = true
    defer { isLoading = false }
    let began = loads
    let client = try await BatonClient(socket: socket)
    defer { Task { await client.close() } }
    window.willLoad()
    do {
      let page = try await client.messages.list(request(before: anchor))
      // The list was loaded again during the call, so this page is out of date.
      guard began == loads else { return window.didNotLoad() }
      publish(window.load(page.messages, isLast: !page.hasOlder))
    } catch let error as VarlinkError where MessagesRefusal(error) == .noSuchMessage(id: anchor) {
      window.didNotLoad()
      if began == loads { follow() }
    } catch {
      window.didNotLoad()
      throw error
    }
  }

  // MARK: - Following

  /// Loads the list again, and follows its changes.
  private func follow() {
    guard !isStopped else { return }
    following?.cancel()
    turn += 1
    revision = nil
    following = Task { [weak self, turn] in
      var attempts = Attempts()
      while !Task.isCancelled {
        let begin = ContinuousClock.now
        do {
          guard let (client, request) = try await self?.connect(turn) else { return }
          defer { Task { await client.close() } }
          // The list itself is retained for one change at a time only, so that it can be released while nothing happens.
          for try await reply in try await client.messages.watch(request) {
            guard let self else { return }
            await self.take(reply, turn)
          }
          await self?.failed("the daemon closed the connection", turn)
        } catch {
          guard await self?.goesOn(after: error, turn) == true else { return }
        }
        guard await attempts.pause(after: begin) else { return }
      }
    }
  }

  /// Loads the messages that are not in the list yet.
  /// - Returns: the request to watch with, or `nil` if the list was stopped or followed again.
  private func connect(_ turn: Int) async throws -> (BatonClient, MessagesWatchRequest)? {
    guard !isStopped, turn == self.turn else { return nil }
    let client = try await BatonClient(socket: socket)
    do {
      if revision == nil { try await loadAgain(client, turn) }
    } catch {
      await client.close()
      throw error
    }
    guard turn == self.turn else {
      await client.close()
      return nil
    }
    enter(.loaded)
    return (client, MessagesWatchRequest(channelIds: [channelID], since: revision))
  }

  /// Loads as many messages as the list had already, and at least one page.
  private func loadAgain(_ client: BatonClient, _ turn: Int) async throws {
    enter(.loading)
    var page = try await client.messages.list(request(before: nil))
    let (first, found) = (page.revision, page.conversation)
    var messages = page.messages
    while page.hasOlder, messages.count < window.elements.count, let last = page.messages.last {
      page = try await client.messages.list(request(before: last.id))
      messages += page.messages
    }
    guard turn == self.turn else { return }
    loads += 1
    revision = first
    publish(window.replace(with: messages, isComplete: !page.hasOlder))
    conversation = found
    if let found { tell(.conversation(found)) }
  }

  private func take(_ reply: MessagesWatchReply, _ turn: Int) {
    guard turn == self.turn else { return }
    if let message = reply.message { publish(window.take(message)) }
    if let changed = reply.conversation, changed.revision > conversation?.revision ?? -1 {
      let isTruncated = changed.truncatedAt != conversation?.truncatedAt
      conversation = changed
      tell(.conversation(changed))
      // Truncated messages are not sent one by one, so everything is loaded again.
      if isTruncated { return follow() }
    }
    // Changes of this revision that are still missing are sent again after a lost connection.
    revision = max(revision ?? 0, reply.revision)
  }

  private func failed(_ reason: String, _ turn: Int) {
    if turn == self.turn { enter(.failed(reason)) }
  }

  /// - Returns: whether another attempt makes sense.
  private func goesOn(after error: any Error, _ turn: Int) -> Bool {
    guard !isStopped, turn == self.turn, !(error is CancellationError) else { return false }
    enter(.failed((error as? VarlinkError)?.description ?? "\(error)"))
    guard let error = error as? VarlinkError else { return true }
    // The stored messages were replaced: load them again.
    if error.name == VarlinkError.invalidParameter("").name { revision = nil }
    // The channel will not exist later either.
    if case .noSuchChannel = MessagesRefusal(error) { return false }
    return error.name != VarlinkError.permissionDenied.name
  }

  private func request(before message: Int64?) -> MessagesListRequest {
    MessagesListRequest(channelId: channelID, before: message.map { Int($0) }, limit: pageSize)
  }

  private func enter(_ next: State) {
    guard next != state, !isStopped else { return }
    state = next
    tell(.state(next))
  }

  private func publish(_ changes: [ListChange<Message>]) {
    if !changes.isEmpty { tell(.changes(changes)) }
  }

  private func tell(_ event: Event) {
    report.yield(
      event, summary: [.replaced(elements)] + (conversation.map { [.conversation($0)] } ?? []) + [.state(state)])
  }
}
