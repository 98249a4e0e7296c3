public import ControlAPI
internal import Varlink

/// The people who belong to one channel, or ask to join it. The list loads them all, follows their changes, reconnects automatically when
/// the daemon was away, and reports changes as steps that lists in user interfaces understand. Members with roles come first, each group by
/// name and then by key.
///
/// The list is empty if the network does not list the channel's members.
public actor LiveMembers {
  public typealias State = LiveList<Channel>.State

  /// The standing of the people in the list.
  public enum Standing: String, Sendable {
    case member, asking
  }

  public enum Event: Sendable {
    case state(State)
    /// Steps from the previous list to `elements`. Apply them in order.
    case changes([ListChange<Member>])
    /// All current members. Replaces the steps if too many changes were unread.
    case replaced([Member])
  }

  /// All events, in order, from the beginning. There may be only one reader.
  public nonisolated let events: AsyncStream<Event>
  public var elements: [Member] { list.elements }
  public private(set) var state = State.initial

  private static let pageSize = 100

  private let socket: String
  private let channelID: Int64
  private let report: EventQueue<Event>
  private var list: LiveMemberList
  /// The revision up to which the list has all changes, or `nil` if it must be loaded.
  private var revision: Int64?
  private var following: Task<Void, Never>?
  private var isStopped = false

  /// - Parameters:
  ///   - channelID: identifier of the channel.
  ///   - standing: the standing of the people in the list.
  ///   - eventsWaitingMax: how many events may wait for their reader. Beyond that, a few with the same meaning replace them.
  public init(
    channelID: Int64, standing: Standing = .member, socket: String = BatonClient.defaultSocket, eventsWaitingMax: Int = 1000
  ) {
    self.channelID = channelID
    self.socket = socket
    list = LiveMemberList(standing: standing.rawValue)
    report = EventQueue(waitingMax: eventsWaitingMax)
    events = report.stream
  }

  deinit {
    following?.cancel()
    report.finish()
  }

  /// Loads the members and follows their changes. Call this only once.
  public func start() {
    guard following == nil, state == .initial else { return }
    enter(.loading)
    following = Task { [weak self] in
      var attempts = Attempts()
      while !Task.isCancelled {
        let begin = ContinuousClock.now
        do {
          guard let (client, request) = try await self?.connect() else { return }
          defer { Task { await client.close() } }
          // The list itself is retained for one change at a time only, so that it can be released while nothing happens.
          for try await reply in try await client.members.watch(request) {
            guard let self else { return }
            await self.take(reply)
          }
          await self?.enter(.failed("the daemon closed the connection"))
        } catch {
          guard await self?.goesOn(after: error) == true else { return }
        }
        guard await attempts.pause(after: begin) else { return }
      }
    }
  }

  /// Ends the list and `events`. The list cannot be started again.
  public func stop() {
    following?.cancel()
    isStopped = true
    report.finish()
  }

  /// - Returns: the request to watch with, or `nil` if the list was stopped.
  private func connect() async throws -> (BatonClient, MembersWatchRequest)? {
    guard !isStopped else { return nil }
    let client = try await BatonClient(socket: socket)
    do {
      if revision == nil { try await load(client) }
    } catch {
      await client.close()
      throw error
    }
    enter(.loaded)
    return (client, MembersWatchRequest(channelIds: [channelID], since: revision))
  }

  /// Loads all members. If one changes between two pages, the watch sends it again.
  private func load(_ client: BatonClient) async throws {
    enter(.loading)
    var request = MembersListRequest(
      channelId: channelID, standing: list.standing, order: "role", limit: Self.pageSize)
    var (members, first): ([Member], Int64?) = ([], nil)
    repeat {
      let page: MembersListReply
      do {
        page = try await client.members.list(request)
      } catch let error as VarlinkError where request.cursor != nil && error == .invalidParameter("cursor") {
        // The last member of the previous page is gone: begin again.
        (members, first, request.cursor) = ([], nil, nil)
        continue
      }
      first = first ?? page.revision
      members += page.members
      request.cursor = page.nextCursor
    } while request.cursor != nil || first == nil
    revision = first
    publish(list.replace(with: members))
  }

  private func take(_ reply: MembersWatchReply) {
    if let member = reply.member { publish(list.take(member)) }
    // Changes of this revision that are still missing are sent again after a lost connection.
    revision = max(revision ?? 0, reply.revision)
  }

  /// - Returns: whether another attempt makes sense.
  private func goesOn(after error: any Error) -> Bool {
    guard !isStopped, !(error is CancellationError) else { return false }
    enter(.failed((error as? VarlinkError)?.description ?? "\(error)"))
    guard let error = error as? VarlinkError else { return true }
    // The daemon lost the data and is reading it again, so load it again.
    if error.name == VarlinkError.invalidParameter("").name { revision = nil }
    // The channel will not exist later either.
    if case .noSuchChannel = MembersRefusal(error) { return false }
    return error.name != VarlinkError.permissionDenied.name
  }

  private func enter(_ next: State) {
    guard next != state, !isStopped else { return }
    state = next
    tell(.state(next))
  }

  private func publish(_ changes: [ListChange<Member>]) {
    if !changes.isEmpty { tell(.changes(changes)) }
  }

  private func tell(_ event: Event) { report.yield(event, summary: [.replaced(elements), .state(state)]) }
}
