internal import ControlAPI
internal import Filters
public import StrictJSON
internal import Varlink

/// A list that follows the daemon's objects: it loads pages when asked, follows every change after that, reconnects by itself
/// when the daemon was away, and reports changes as steps that lists in user interfaces understand.
public actor LiveList<Element: LiveElement> {
  public enum State: Hashable, Sendable {
    /// The state before anything was loaded.
    case initial
    case loading
    case loaded
    /// The list currently does not follow changes, for this reason. It keeps trying.
    case failed(String)
  }

  public enum Event: Sendable {
    case state(State)
    /// Steps from the previous list to `elements`. Apply them in order.
    case changes([ListChange<Element>])
    /// The whole current list. Replaces the steps if too many changes were unread.
    case replaced([Element])
  }

  /// All events, in order, from the beginning. There may be only one reader.
  public nonisolated let events: AsyncStream<Event>
  /// The loaded part of the list, in order.
  public var elements: [Element] { window.elements }
  public private(set) var state = State.initial
  /// Whether there are more objects, which `loadNext` loads.
  public private(set) var hasMore = true

  private let socket: String
  private let filter: JSONValue?
  private let sort: [JSONValue]
  private let pageSize: Int
  private let report: EventQueue<Event>
  private var window: LiveWindow<Element>
  private var cursor: String?
  /// The revision up to which all changes are in the list.
  private var revision: Int64 = 0
  private var following: Task<Void, Never>?
  /// The number of times that following was started. Results of earlier turns are ignored.
  private var turn = 0
  /// Whether the list also follows messages in channels.
  private let followsMessages: Bool
  private var listening: Task<Void, Never>?
  /// The revision of messages up to which the list has all changes, or `nil` if it has none yet.
  private var messageRevision: Int64?
  /// The known conversations of channels. They are newer than the figures in changes of channels, or still newer ones are about to arrive.
  private var conversations: [Int64: Conversation] = [:]
  private var isLoading = false
  private var isStopped = false

  /// - Parameters:
  ///   - filter: conditions as in the daemon's List methods. `nil` lists all objects.
  ///   - sort: keys as in the daemon's List methods.
  ///   - pageSize: objects per page, 1 to 1000.
  ///   - eventsWaitingMax: how many events may wait for their reader. Beyond that, one event with the whole list replaces them.
  ///   - followsMessages: whether a list of channels changes with their messages: the unread counts and the latest message.
  ///     If `nil`, it does if filter or sort name such a field.
  /// - Throws: `Filters.Filter.Invalid` if filter or sort are not valid.
  public init(
    socket: String = BatonClient.defaultSocket, filter: JSONValue? = nil, sort: [JSONValue] = [], pageSize: Int = 50,
    eventsWaitingMax: Int = 1000, followsMessages: Bool? = nil
  ) throws {
    self.socket = socket
    self.filter = filter
    self.sort = sort
    self.pageSize = min(max(pageSize, 1), 1000)
    // Only the daemon knows which fields exist.
    let (conditions, order) = (try Filter(filter), try ListOrder(sort))
    window = LiveWindow(filter: conditions, order: order)
    let fields = conditions.fields.union(order.keys.compactMap(\.path.first))
    self.followsMessages =
      !Element.conversationFields.isEmpty && followsMessages ?? !fields.isDisjoint(with: Element.conversationFields)
    report = EventQueue(waitingMax: eventsWaitingMax)
    events = report.stream
  }

  deinit {
    following?.cancel()
    listening?.cancel()
    report.finish()
  }

  /// Loads the first page and follows its changes. Call this only once.
  public func start() {
    guard following == nil, state == .initial else { return }
    enter(.loading)
    // Messages come first, because messages that arrive after the list was read must not be missed.
    if followsMessages { listen() } else { follow() }
  }

  private func follow() {
    following?.cancel()
    turn += 1
    following = Task { [weak self, turn] in
      var attempts = Attempts()
      while !Task.isCancelled {
        let begin = ContinuousClock.now
        do {
          guard let (client, request) = try await self?.connect(turn) else { return }
          defer { Task { await client.close() } }
          // The list itself is retained for one change at a time only, so that it can be released while nothing happens.
          for try await message in try await client.monitor.watch(request) {
            guard let self else { return }
            try await self.take(message, turn)
          }
          await self?.failed("the daemon closed the connection", turn)
        } catch {
          guard await self?.goesOn(after: error, turn) == true else { return }
        }
        guard await attempts.pause(after: begin) else { return }
      }
    }
  }

  /// Ends the list and `events`. The list cannot be started again.
  public func stop() {
    following?.cancel()
    listening?.cancel()
    isStopped = true
    report.finish()
  }

  /// Loads one more page, if there is one.
  /// - Throws: `VarlinkError` of the daemon, or `VarlinkClient.Failure`. The list is then unchanged.
  public func loadNext() async throws {
    guard hasMore, !isLoading, state != .initial else { return }
    isLoading = true
    defer { isLoading = false }
    let client = try await BatonClient(socket: socket)
    defer { Task { await client.close() } }
    window.willLoad()
    do {
      let page = try await page(client, after: cursor)
      // The list was loaded again during the call, so this page is out of date.
      guard page.isAfter == cursor else { return window.didNotLoad() }
      adopt(page)
      publish(try window.load(page.elements, isLast: page.next == nil))
      try showConversations(of: page.elements)
    } catch {
      window.didNotLoad()
      throw error
    }
  }

  // MARK: - Following

  /// Loads the objects that are not in the list yet.
  /// - Returns: the revision to watch from, or `nil` if the list was stopped.
  private func connect(_ turn: Int) async throws -> (BatonClient, WatchRequest)? {
    guard !isStopped, turn == self.turn else { return nil }
    let client = try await BatonClient(socket: socket)
    do {
      if revision == 0 { try await loadAgain(client, turn) }
    } catch {
      await client.close()
      throw error
    }
    guard turn == self.turn else {
      await client.close()
      return nil
    }
    enter(.loaded)
    return (client, WatchRequest(since: revision, kinds: [Element.kind]))
  }

  private func take(_ message: ChangeMessage, _ turn: Int) throws {
    guard turn == self.turn, message.revision > revision else { return }
    revision = message.revision
    guard message.kind == Element.kind, let after = message.after else { return }
    let element = try Element(json: after)
    publish(try window.take(conversations[element.id].map(element.showing) ?? element))
  }

  private func failed(_ reason: String, _ turn: Int) {
    if turn == self.turn { enter(.failed(reason)) }
  }

  /// - Returns: whether another attempt makes sense.
  private func goesOn(after error: any Error, _ turn: Int) -> Bool {
    guard !isStopped, turn == self.turn, !(error is CancellationError) else { return false }
    enter(.failed((error as? VarlinkError)?.description ?? "\(error)"))
    guard let error = error as? VarlinkError else { return true }
    // The daemon has dropped the changes since then, or the database was replaced: list again.
    if error.kind == .revisionCompacted || error.name == VarlinkError.invalidParameter("").name { revision = 0 }
    // An error in the request itself does not go away.
    return error.kind != .invalidFilter && error.name != VarlinkError.permissionDenied.name
  }

  /// Loads as many objects as the list had already, and at least one page.
  private func loadAgain(_ client: BatonClient, _ turn: Int) async throws {
    enter(.loading)
    var elements: [Element] = []
    var next: String?
    var first: Int64?
    let wanted = max(window.elements.count, 1)
    repeat {
      let page = try await page(client, after: next)
      first = first ?? page.revision
      elements += page.elements
      next = page.next
    } while next != nil && elements.count < wanted
    guard turn == self.turn else { return }
    cursor = next
    hasMore = next != nil
    revision = first ?? 0
    publish(try window.replace(with: elements, isComplete: next == nil))
    try showConversations(of: elements)
  }

  // MARK: - Messages

  /// Follows messages in channels, and the list itself once that has begun.
  private func listen() {
    listening = Task { [weak self] in
      var attempts = Attempts()
      while !Task.isCancelled {
        let begin = ContinuousClock.now
        do {
          guard let (client, request) = try await self?.connectToMessages() else { return }
          defer { Task { await client.close() } }
          for try await reply in try await client.messages.watch(request) {
            guard let self else { return }
            try await self.take(reply, client)
          }
        } catch {
          guard await self?.goesOnListening(after: error) == true else { return }
        }
        guard await attempts.pause(after: begin) else { return }
      }
    }
  }

  private func connectToMessages() async throws -> (BatonClient, MessagesWatchRequest)? {
    guard !isStopped else { return nil }
    return (try await BatonClient(socket: socket), MessagesWatchRequest(since: messageRevision))
  }

  private func take(_ reply: MessagesWatchReply, _ client: BatonClient) async throws {
    if messageRevision == nil {
      (conversations, revision) = ([:], 0)
      messageRevision = 0
      follow()
    }
    // It counts as seen only once it is in the list. After an error it is sent again.
    if let conversation = reply.conversation { try await take(conversation, client) }
    messageRevision = max(messageRevision ?? 0, reply.revision)
  }

  private func take(_ conversation: Conversation, _ client: BatonClient) async throws {
    let id = conversation.channelId
    guard conversation.revision > conversations[id]?.revision ?? -1 else { return }
    var known = window.elements.first { $0.id == id }
    var found: Element?
    // The message may add the channel to the list. If this page is older than the list's revision, newer changes have arrived since.
    while known == nil {
      let filter: JSONValue = ["id": .integer(id), Element.deletion.field: ["$exists": true]]
      let page = try await Element.page(ListRequest(filter: filter), of: client)
      found = page.elements.first
      known = window.elements.first { $0.id == id }
      if found == nil || page.revision >= revision { break }
    }
    conversations[id] = conversation
    guard let element = known ?? found else { return }
    publish(try window.take(element.showing(conversation), isTrue: true))
  }

  private func showConversations(of elements: [Element]) throws {
    guard followsMessages else { return }
    for element in elements {
      guard let conversation = conversations[element.id], let known = window.elements.first(where: { $0.id == element.id })
      else {
        continue
      }
      publish(try window.take(known.showing(conversation), isTrue: true))
    }
  }

  private func goesOnListening(after error: any Error) -> Bool {
    guard !isStopped, !(error is CancellationError) else { return false }
    if following == nil { enter(.failed((error as? VarlinkError)?.description ?? "\(error)")) }
    guard let error = error as? VarlinkError else { return true }
    // The stored messages were replaced: begin again.
    if error.name == VarlinkError.invalidParameter("").name { messageRevision = nil }
    guard error.name == VarlinkError.permissionDenied.name else { return true }
    // The user may still have permission to read the list itself.
    if following == nil { follow() }
    return false
  }

  private struct Page {
    let elements: [Element]
    let isAfter: String?
    let next: String?
    let revision: Int64
  }

  private func page(_ client: BatonClient, after cursor: String?) async throws -> Page {
    let request = ListRequest(filter: filter, sort: sort.isEmpty ? nil : sort, limit: pageSize, cursor: cursor)
    let page = try await Element.page(request, of: client)
    return Page(elements: page.elements, isAfter: cursor, next: page.next, revision: page.revision)
  }

  private func adopt(_ page: Page) {
    cursor = page.next
    hasMore = page.next != nil
  }

  private func enter(_ next: State) {
    guard next != state, !isStopped else { return }
    state = next
    tell(.state(next))
  }

  private func publish(_ changes: [ListChange<Element>]) {
    if !changes.isEmpty { tell(.changes(changes)) }
  }

  private func tell(_ event: Event) { report.yield(event, summary: [.replaced(elements), .state(state)]) }
}
