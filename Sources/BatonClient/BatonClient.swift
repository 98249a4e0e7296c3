internal import ControlAPI
internal import NIOConcurrencyHelpers
public import StrictJSON
public import Varlink

/// A client of Baton's control interfaces, with typed calls over one Unix socket.
///
/// Calls share one connection. Each stream has its own, because a stream occupies its connection.
public struct BatonClient: Sendable {
  public static let defaultSocket = "/run/batond/control"

  public let socket: String
  /// How long to wait for a reply, or `nil` for as long as the connection lasts. Streams have no limit.
  public let timeout: Duration?
  /// How long to repeat a call that the daemon did not process because it was restarting or overloaded. With zero, calls are not repeated,
  /// and `notTaken` and `Busy` are thrown like other failures.
  public let persistence: Duration
  private let connection: NIOLockedValueBox<VarlinkClient>

  /// How long a restarted daemon needs at most to serve its socket again.
  private static let restart = Duration.seconds(3)
  /// Rewrites every reply before it is decoded. `nil` leaves replies unchanged.
  private var rewrite: (@Sendable (JSONValue) -> JSONValue)?

  /// Connects to a daemon.
  /// - Parameters:
  ///   - socket: path of the control socket.
  ///   - timeout: how long to wait for a reply, or `nil` for as long as the connection lasts.
  ///   - persistence: how long to repeat a call that the daemon did not process.
  /// - Throws: `VarlinkClient.Failure`, for example `notReachable` if no daemon serves the socket.
  public init(
    socket: String = defaultSocket, timeout: Duration? = .seconds(45), persistence: Duration = .zero
  ) async throws(VarlinkClient.Failure) {
    self.socket = socket
    self.timeout = timeout
    self.persistence = persistence
    let client = try await VarlinkClient.connect(
      path: socket, patience: timeout ?? .seconds(45), whileRefused: min(persistence, Self.restart))
    connection = NIOLockedValueBox(client)
  }

  public func close() async { await connection.withLockedValue { $0 }.close() }

  /// Whether the daemon did nothing, so that any call, even one that makes changes, may be repeated.
  static func isNotTaken(_ error: any Error) -> Bool {
    if let failure = error as? VarlinkClient.Failure { return failure == .notTaken }
    return (error as? VarlinkError)?.kind == .busy
  }

  /// A new connection to replace a connection that the daemon closed.
  private func reconnect() async throws(VarlinkClient.Failure) -> VarlinkClient {
    // The daemon was there a moment ago.
    let wait = min(persistence, Self.restart)
    return try await VarlinkClient.connect(
      path: socket, patience: timeout ?? .seconds(45), whileRefused: wait, whileMissing: wait)
  }

  /// Replaces the connection `ended` with a new one, unless a concurrent call has done so.
  private func replace(_ ended: VarlinkClient) async throws(VarlinkClient.Failure) {
    guard connection.withLockedValue({ $0 === ended }) else { return }
    let fresh = try await reconnect()
    let isWanted = connection.withLockedValue { current in
      guard current === ended else { return false }
      current = fresh
      return true
    }
    if !isWanted { await fresh.close() }
  }

  /// Makes a call, and repeats it if the daemon did not process it.
  private func persistently<Reply>(_ ask: (VarlinkClient) async throws -> Reply) async throws -> Reply {
    var pauses = Pauses(within: persistence)
    while true {
      let client = connection.withLockedValue { $0 }
      do {
        return try await ask(client)
      } catch  where Self.isNotTaken(error) {
        guard try await pauses.next() else { throw error }
        if error is VarlinkClient.Failure { try await replace(client) }
      }
    }
  }

  /// This client with `rewrite` applied to all replies, for programs that show replies and send no part of them back.
  package func rewriting(_ rewrite: @escaping @Sendable (JSONValue) -> JSONValue) -> BatonClient {
    var client = self
    client.rewrite = rewrite
    return client
  }

  private func read(_ reply: [String: JSONValue]) -> [String: JSONValue] { rewrite?(.object(reply)).object ?? reply }

  /// Calls any method.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(_ method: String, _ parameters: [String: JSONValue] = [:]) async throws -> [String: JSONValue] {
    try await call(method, parameters, timeout: timeout)
  }

  /// Calls any method.
  /// - Parameter timeout: how long to wait for the reply, or `nil` for as long as the connection lasts.
  /// - Throws: `VarlinkError` as declared in the interface, or `VarlinkClient.Failure`.
  public func call(
    _ method: String, _ parameters: [String: JSONValue] = [:], timeout: Duration?
  ) async throws -> [String: JSONValue] {
    read(try await persistently { try await $0.call(method, parameters, timeout: timeout) })
  }

  /// Calls any method with `more`. The stream ends after the last reply. Ending the iteration closes its connection.
  public func stream(
    _ method: String, _ parameters: [String: JSONValue] = [:]
  ) async throws(VarlinkClient.Failure) -> some AsyncSequence<[String: JSONValue], any Error> & Sendable {
    try await replies(method, parameters) { $0 }
  }

  private func replies<Reply: Sendable>(
    _ method: String, _ parameters: [String: JSONValue], _ decode: @escaping @Sendable ([String: JSONValue]) throws -> Reply
  ) async throws(VarlinkClient.Failure) -> PersistentReplies<Reply> {
    let client = try await VarlinkClient.connect(path: socket, whileRefused: min(persistence, Self.restart))
    return PersistentReplies(
      first: client.callMore(method, parameters, thenClose: true), persistence: persistence,
      decode: { try decode(read($0)) }
    ) { try await reconnect().callMore(method, parameters, thenClose: true) }
  }
}

// What the generated clients of the interfaces are made of.
extension BatonClient {
  func reply<Reply: Decodable>(to method: some InterfaceMethod, _ request: some Encodable) async throws -> Reply {
    try Reply(
      json: .object(try await call(method, try request.json.object ?? [:], timeout: patience(with: request, to: method))))
  }

  func replies<Reply: Decodable & Sendable>(
    to method: some InterfaceMethod, _ request: some Encodable, of type: Reply.Type
  ) async throws -> PersistentReplies<Reply> {
    try await replies(method.rawValue, try request.json.object ?? [:]) { try Reply(json: .object($0)) }
  }

  /// Calls a list until there are no more pages.
  /// - Parameter contents: the objects of a page, and the cursor of the next one.
  func pages<Page, Item>(
    _ request: ListRequest, of list: (ListRequest) async throws -> Page, _ contents: (Page) -> ([Item], String?)
  ) async throws -> [Item] {
    var request = request
    request.limit = 1000
    var items: [Item] = []
    repeat {
      let (more, cursor) = contents(try await list(request))
      items += more
      request.cursor = cursor
    } while request.cursor != nil
    return items
  }

  /// How long to wait for the reply to a request, or `nil` for as long as the connection lasts.
  private func patience(with request: some Encodable, to method: some InterfaceMethod) -> Duration? {
    switch request {
    // Relays and servers may need minutes.
    case is ChannelsTruncateRequest, is ChannelsUnfollowRequest: nil
    case let request as ChannelsFollowRequest: request.join == true ? nil : timeout
    case let request as MessagesSyncRequest: patience(withRelaysFor: request.timeout)
    case let request as MessagesSearchRelaysRequest: patience(withRelaysFor: request.timeout)
    // All of the database is read.
    default: method.rawValue == DaemonMethod.check.rawValue ? nil : timeout
    }
  }

  /// - Parameter seconds: how long the daemon waits for relays, or `nil` for its default.
  private func patience(withRelaysFor seconds: Int?) -> Duration? {
    // The daemon waits 30 s by default and 300 s at most, and its reply may be on its way for a while.
    let wait = Duration.seconds(min(max(seconds ?? 30, 1), 300) + 15)
    return timeout.map { max($0, wait) }
  }
}

/// The request or reply of a method that has none.
struct Nothing: Codable, Sendable {}
