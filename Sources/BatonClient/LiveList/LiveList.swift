internal import ControlAPI
internal import Filters
public import StrictJSON
internal import Varlink

/// A list that stays as the daemon's objects are: it loads pages when asked, follows every change after that, comes back by itself
/// when the daemon was away, and says what changed in steps that lists on screens understand.
public actor LiveList<Element: LiveElement> {
  public enum State: Hashable, Sendable {
    /// Nothing was asked for yet.
    case initial
    case loading
    case loaded
    /// It does not follow at present, for this reason; it goes on trying.
    case failed(String)
  }

  public enum Event: Sendable {
    case state(State)
    /// Steps from the list before to `elements`, to be applied one after the other.
    case changes([ListChange<Element>])
    /// This is the list now, whatever it was before: so much has changed unread that the steps were not kept.
    case replaced([Element])
  }

  /// What happens, in order, from the beginning. For one reader.
  public nonisolated let events: AsyncStream<Event>
  /// The loaded part of the list, in order.
  public var elements: [Element] { window.elements }
  public private(set) var state = State.initial
  /// Whether there are more than those loaded: `loadNext` gets them.
  public private(set) var hasMore = true

  private let socket: String
  private let filter: JSONValue?
  private let sort: [JSONValue]
  private let pageSize: Int
  private let report: EventQueue<Event>
  private var window: LiveWindow<Element>
  private var cursor: String?
  /// Everything up to it is in the list.
  private var revision: Int64 = 0
  private var following: Task<Void, Never>?
  private var isLoading = false
  private var isStopped = false

  /// Waits between attempts to reach the daemon: the first, and the longest.
  private static var waits: (first: Duration, longest: Duration) { (.milliseconds(100), .seconds(5)) }

  /// - Parameters:
  ///   - filter: conditions as in the daemon's List methods; nil takes all.
  ///   - sort: keys as in the daemon's List methods.
  ///   - pageSize: objects per page, 1 to 1000.
  ///   - eventsWaitingMax: events that wait for their reader; with more they become one that gives the whole list.
  /// - Throws: `Filters.Filter.Invalid` when filter or sort are none.
  public init(
    socket: String = BatonClient.defaultSocket, filter: JSONValue? = nil, sort: [JSONValue] = [], pageSize: Int = 50,
    eventsWaitingMax: Int = 1000
  ) throws {
    self.socket = socket
    self.filter = filter
    self.sort = sort
    self.pageSize = min(max(pageSize, 1), 1000)
    // What fields there are is for the daemon to say.
    window = LiveWindow(filter: try Filter(filter), order: try ListOrder(sort))
    report = EventQueue(waitingMax: eventsWaitingMax)
    events = report.stream
  }

  deinit {
    following?.cancel()
    report.finish()
  }

  /// Loads the first page and follows the changes from then on. Once.
  public func start() {
    guard following == nil, state == .initial else { return }
    enter(.loading)
    following = Task { [weak self] in
      var wait = Self.waits.first
      while !Task.isCancelled {
        let begin = ContinuousClock.now
        do {
          guard let (client, request) = try await self?.connect() else { return }
          defer { Task { await client.close() } }
          // The list itself is held for one change at a time only, so that it can go while nothing happens.
          for try await message in try await client.watch(request) {
            guard let self else { return }
            try await self.take(message)
          }
          await self?.failed("the daemon closed the connection")
        } catch {
          guard await self?.goesOn(after: error) == true else { return }
        }
        wait = ContinuousClock.now - begin > Self.waits.longest ? Self.waits.first : min(wait * 2, Self.waits.longest)
        guard (try? await Task.sleep(for: wait)) != nil else { return }
      }
    }
  }

  /// Ends the list; `events` ends too, and the list is not started again.
  public func stop() {
    following?.cancel()
    isStopped = true
    report.finish()
  }

  /// Loads one page more, if there is one.
  /// - Throws: `VarlinkError` of the daemon, or `VarlinkClient.Failure`; the list stays as it is.
  public func loadNext() async throws {
    guard hasMore, !isLoading, state != .initial else { return }
    isLoading = true
    defer { isLoading = false }
    let client = try await BatonClient(socket: socket)
    defer { Task { await client.close() } }
    window.willLoad()
    do {
      let page = try await page(client, after: cursor)
      // Loaded anew meanwhile: then this page is of the past.
      guard page.isAfter == cursor else { return window.didNotLoad() }
      adopt(page)
      publish(try window.load(page.elements, isLast: page.next == nil))
    } catch {
      window.didNotLoad()
      throw error
    }
  }

  // MARK: - Following

  /// Lists what is not listed yet.
  /// - Returns: where to watch from; nil when the list was stopped.
  private func connect() async throws -> (BatonClient, WatchRequest)? {
    guard !isStopped else { return nil }
    let client = try await BatonClient(socket: socket)
    do {
      if revision == 0 { try await loadAgain(client) }
    } catch {
      await client.close()
      throw error
    }
    enter(.loaded)
    return (client, WatchRequest(since: revision, kinds: [Element.kind]))
  }

  private func take(_ message: ChangeMessage) throws {
    guard message.revision > revision else { return }
    revision = message.revision
    guard message.kind == Element.kind, let after = message.after else { return }
    publish(try window.take(try Element(json: after)))
  }

  private func failed(_ reason: String) { enter(.failed(reason)) }

  /// - Returns: whether it is worth another attempt.
  private func goesOn(after error: any Error) -> Bool {
    guard !isStopped, !(error is CancellationError) else { return false }
    enter(.failed((error as? VarlinkError)?.description ?? "\(error)"))
    guard let error = error as? VarlinkError else { return true }
    // The changes since then are not kept any more, or it is another database: list again.
    if error.name.hasSuffix(".RevisionCompacted") || error.name.hasSuffix(".InvalidParameter") { revision = 0 }
    // What is wrong with the question itself does not pass.
    return !error.name.hasSuffix(".InvalidFilter") && error.name != VarlinkError.permissionDenied.name
  }

  /// Loads as many objects as are there already, at least one page.
  private func loadAgain(_ client: BatonClient) async throws {
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
    cursor = next
    hasMore = next != nil
    revision = first ?? 0
    publish(try window.replace(with: elements, isComplete: next == nil))
  }

  private struct Page {
    let elements: [Element]
    let isAfter: String?
    let next: String?
    let revision: Int64
  }

  private func page(_ client: BatonClient, after cursor: String?) async throws -> Page {
    var parameters: [String: JSONValue] = ["limit": .integer(Int64(pageSize))]
    parameters["filter"] = filter
    if !sort.isEmpty { parameters["sort"] = .array(sort) }
    if let cursor { parameters["cursor"] = .string(cursor) }
    let reply = try await client.call(Element.listing.method, parameters)
    return Page(
      elements: try [Element](json: reply[Element.listing.name] ?? []), isAfter: cursor,
      next: reply["nextCursor"]?.string, revision: reply["revision"]?.integer ?? 0)
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
