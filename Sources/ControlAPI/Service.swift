public import Sentences
public import StrictJSON
public import Varlink

// The common base of the generated parts of all interfaces.

/// The methods of one interface, each with its full name on the wire.
public protocol InterfaceMethod: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// The errors that one interface declares. It requires the errors that every interface must declare.
public protocol InterfaceRefusal: Error, Hashable, Sendable {
  /// Name of the interface.
  static var interface: String { get }

  /// The requested data is unreadable, because the database is damaged.
  static func storageDamaged(reason: String) -> Self
  /// The database is not readable or not writable.
  static func storageUnavailable(reason: String) -> Self
  /// The daemon has an internal fault.
  static var internalError: Self { get }
  /// One of Varlink's own errors, or an error that is unknown to this version.
  static func other(_ error: VarlinkError) -> Self

  /// - Parameter error: as the daemon sent it.
  init(_ error: VarlinkError)

  /// The error on the wire.
  var error: VarlinkError { get }

  /// The sentence for people.
  var sentence: RefusalSentence { get }
}

/// A server of one interface. Each interface has a separate protocol that requires all of its methods.
public protocol InterfaceService: Sendable {
  associatedtype Method: InterfaceMethod
  associatedtype Refusal: InterfaceRefusal

  /// Answers one call of `method`.
  /// - Parameter stream: accepts replies before the last one. Only for calls with `more`.
  /// - Returns: the last reply.
  /// - Throws: `VarlinkError.invalidParameter` if the parameters are invalid, and any error of the method.
  func answer(_ method: Method, _ call: VarlinkCall, _ stream: VarlinkStream) async throws -> any JSONWritable
}

/// The reply of a method without reply parameters.
public struct NoReply: JSONWritable {
  public init() {}

  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.endObject()
  }
}

/// An object of a list, with the fields that filters and orders use.
public protocol ListedObject: JSONWritable {
  /// The value of a field, by its name on the wire, or `nil` if the field is absent or unknown.
  subscript(field: String) -> JSONValue? { get }
}

/// The receiver of all replies but the last one.
public struct ReplyStream<Reply: JSONWritable>: Sendable {
  private let stream: VarlinkStream

  init(_ stream: VarlinkStream) { self.stream = stream }

  /// Sends one reply and waits until the connection has accepted it.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ reply: Reply) async throws { try await stream.send(EncodedParameters(reply)) }

  /// Sends encoded replies, and waits until the connection has accepted all of them.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ replies: EncodedReplies) async throws { try await stream.send(replies) }
}

extension VarlinkCall {
  /// The parameters as a typed value.
  /// - Throws: `VarlinkError.invalidParameter` with the name of the outermost parameter that does not fit.
  func request<Request: Decodable>() throws -> Request {
    do {
      // A null parameter means the same as an absent one.
      return try Request(json: .object(parameters.filter { $0.value != .null }))
    } catch let error as JSONShapeError {
      throw VarlinkError.invalidParameter(error.path.first ?? "parameters")
    }
  }

  /// The receiver of replies before the last one, or nil if the client accepts only one.
  func replies<Reply>(to stream: VarlinkStream) -> ReplyStream<Reply>? { mode == .more ? ReplyStream(stream) : nil }
}

extension VarlinkError {
  /// - Parameter members: the parameters of the error. Nil ones are left out.
  init(_ name: String, carrying members: [String: JSONValue?]) { self.init(name, members.compactMapValues { $0 }) }
}
