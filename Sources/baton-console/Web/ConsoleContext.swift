internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOConcurrencyHelpers

/// What is known of a request.
struct ConsoleContext: RequestContext {
  /// Where requests come from.
  struct Source: RequestContextSource {
    let logger: Logger
    /// The user at the other end of a Unix socket; `nil` on loopback, where no one knows.
    let peer: UInt32?
  }

  var coreContext: CoreRequestContextStorage
  let peer: UInt32?
  /// Who asks, once the request has passed the door.
  var visit: Visit?

  /// Someone who is signed in.
  struct Visit {
    let user: String
    let role: Sessions.Role
    /// How they signed in.
    let way: Way
    /// Whether it still holds: they are signed in, and may look.
    let holds: @Sendable () async -> Bool
    /// The form that was sent, once it was read: for the journal, and so that it can be sent again.
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
    /// With a code; the session and its token.
    case session(Sessions.Session, token: String)
    /// At a reverse proxy, which says so with each request.
    case proxy
  }

  /// The session; `nil` for whoever signed in at a reverse proxy.
  var session: Sessions.Session? { if case .session(let session, _) = visit?.way { session } else { nil } }

  init(source: Source) {
    coreContext = .init(source: source)
    peer = source.peer
  }
}

extension Request {
  /// The way from this page to the first one, such as `../`: all addresses in pages are relative, so that the console may be offered below
  /// any path.
  var root: String {
    let depth = uri.path.utf8.count { $0 == UInt8(ascii: "/") } - 1
    return depth > 0 ? String(repeating: "../", count: depth) : "./"
  }

  /// The longest form, in bytes: a post as long as any, in letters that browsers send as nine bytes for three.
  private static let formBytesMax = 128 << 10

  /// The form that was sent. It can be read once.
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

  /// What the address says behind the question mark.
  func query() throws(Form.Refusal) -> Form { try Form(uri.query ?? "") }
}
