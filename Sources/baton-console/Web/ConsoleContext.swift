internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers

/// The context of a request.
struct ConsoleContext: RequestContext {
  /// The source of requests.
  struct Source: RequestContextSource {
    let logger: Logger
    /// The user at the other end of a Unix socket, or `nil` on loopback, where the user is unknown.
    let peer: UInt32?
  }

  var coreContext: CoreRequestContextStorage
  let peer: UInt32?
  /// The visitor, once the request has passed the door.
  var visit: Visit?

  /// Someone who is signed in.
  struct Visit {
    let user: String
    let role: Sessions.Role
    /// How they signed in.
    let way: Way
    /// Whether the visit is still valid: the visitor is signed in, and may look.
    let holds: @Sendable () async -> Bool
    /// The form that was sent, once it was read, for the journal and to send it again.
    let form = NIOLockedValueBox<Form?>(nil)

    init(user: String, role: Sessions.Role, way: Way, holds: @escaping @Sendable () async -> Bool) {
      self.user = user
      self.role = role
      self.way = way
      self.holds = holds
    }
  }

  /// How someone signed in.
  enum Way {
    /// With a code. The values are the session and its token.
    case session(Sessions.Session, token: String)
    /// At a reverse proxy, which names the user with each request.
    case proxy
  }

  /// The session, or `nil` for a user who signed in at a reverse proxy.
  var session: Sessions.Session? { if case .session(let session, _) = visit?.way { session } else { nil } }

  init(source: Source) {
    coreContext = .init(source: source)
    peer = source.peer
  }
}

extension Request {
  /// The way from this page to the first one, such as `../`. All addresses in pages are relative, so that the console can be offered below
  /// any path.
  var root: String {
    let depth = uri.path.utf8.count { $0 == UInt8(ascii: "/") } - 1
    return depth > 0 ? String(repeating: "../", count: depth) : "./"
  }

  /// The longest form, in bytes: a post of the largest size, in letters that browsers send as nine bytes for three.
  private static let formBytesMax = 128 << 10

  /// The form that was sent. It can be read only once.
  func form() async throws -> Form {
    guard headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
      throw PageRefusal(
        status: .unsupportedMediaType, what: "Unsupported form", help: "Send the form from a page of the console.")
    }
    do {
      return try Form(String(buffer: try await body.collect(upTo: Self.formBytesMax)))
    } catch let error as any HTTPResponseError {
      throw error
    } catch let error as Form.Refusal {
      throw error
    } catch {
      throw PageRefusal(
        status: .badRequest, what: "Incomplete form", help: "The connection ended before the form was complete.")
    }
  }

  /// The address's query.
  func query() throws(Form.Refusal) -> Form { try Form(uri.query ?? "") }
}
