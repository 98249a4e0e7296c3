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
  private let report: AsyncStream<Event>.Continuation
  private var window: LiveWindow<Element>
  private var cursor: String?
  /// Everything up to it is in the list.
  private var revision: Int64 = 0
  private var following: Task<Void, Never>?
  private var isLoading = false

  /// Waits between attempts to reach the daemon: the first, and the longest.
  private static var waits: (first: Duration, longest: Duration) { (.milliseconds(100), .seconds(5)) }

  /// - Parameters:
  ///   - filter: conditions as in the daemon's List methods; nil takes all.
  ///   - sort: keys as in the daemon's List methods.
  ///   - pageSize: objects per page, 1 to 1000.
  /// - Throws: `Filters.Filter.Invalid` when filter or sort are none.
  public init(
    socket: String = BatonClient.defaultSocket, filter: JSONValue? = nil, sort: [JSONValue] = [], pageSize: Int = 50
  ) throws {
    self.socket = socket
    self.filter = filter
    self.sort = sort
    self.pageSize = min(max(pageSize, 1), 1000)
    // What fields there are is for the daemon to say.
    window = LiveWindow(filter: try Filter(filter), order: try ListOrder(sort))
    (events, report) = AsyncStream.makeStream(of: Event.self)
  }

  deinit {
    following?.cancel()
    report.finish()
  }

  /// Loads the first page and follows the changes from then on.
  public func start() {
    guard following == nil else { return }
    enter(.loading)
    following = Task { [weak self] in
      var wait = Self.waits.first
      while !Task.isCancelled {
        guard let again = await self?.followOnce() else { return }
        wait = again ? Self.waits.first : min(wait * 2, Self.waits.longest)
        guard (try? await Task.sleep(for: wait)) != nil else { return }
      }
    }
  }

  /// Ends the list; `events` ends too.
  public func stop() {
    following?.cancel()
    following = nil
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

  /// Lists what is not listed yet and follows the changes until the connection ends.
  /// - Returns: whether the daemon was reached.
  private func followOnce() async -> Bool {
    var wasReached = false
    do {
      let client = try await BatonClient(socket: socket)
      wasReached = true
      defer { Task { await client.close() } }
      if revision == 0 { try await loadAgain(client) }
      enter(.loaded)
      let request = WatchRequest(since: revision, kinds: [Element.kind])
      for try await message in try await client.watch(request) {
        guard message.revision > revision else { continue }
        revision = message.revision
        guard message.kind == Element.kind, let after = message.after else { continue }
        publish(try window.take(try Element(json: after)))
      }
      enter(.failed("the daemon closed the connection"))
    } catch let error as VarlinkError {
      // The changes since then are not kept any more, or it is another database: list again.
      if error.name.hasSuffix(".RevisionCompacted") || error.name.hasSuffix(".InvalidParameter") { revision = 0 }
      enter(.failed(error.description))
    } catch {
      enter(.failed("\(error)"))
    }
    return wasReached
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
    guard next != state else { return }
    state = next
    report.yield(.state(next))
  }

  private func publish(_ changes: [ListChange<Element>]) {
    if !changes.isEmpty { report.yield(.changes(changes)) }
  }
}
