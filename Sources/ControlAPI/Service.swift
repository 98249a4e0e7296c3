public import Sentences
public import StrictJSON
public import Varlink

// The common base of the generated parts of all interfaces.

/// The methods of one interface, each with its full name on the wire.
public protocol InterfaceMethod: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// The errors that one interface declares. The errors that every interface must declare are required here.
public protocol InterfaceRefusal: Error, Hashable, Sendable {
  /// Name of the interface.
  static var interface: String { get }

  /// The requested object cannot be read, because the database is damaged.
  static func storageDamaged(reason: String) -> Self
  /// The database cannot be read or written.
  static func storageUnavailable(reason: String) -> Self
  /// The daemon has an internal fault.
  static var internalError: Self { get }
  /// An error of Varlink's own, or an error that this version does not know.
  static func other(_ error: VarlinkError) -> Self

  /// - Parameter error: as the daemon sent it.
  init(_ error: VarlinkError)

  /// The error in its form on the wire.
  var error: VarlinkError { get }

  /// The sentence for people.
  var sentence: RefusalSentence { get }
}

/// The server of one interface. Each interface has its own protocol that requires all of its methods.
public protocol InterfaceService: Sendable {
  associatedtype Method: InterfaceMethod
  associatedtype Refusal: InterfaceRefusal

  /// Answers one call of `method`.
  /// - Parameter stream: accepts replies before the last one. Only for calls with `more`.
  /// - Returns: the last reply.
  /// - Throws: `VarlinkError.invalidParameter` when the parameters cannot be read, and the errors of the method.
  func answer(_ method: Method, _ call: VarlinkCall, _ stream: VarlinkStream) async throws -> any JSONWritable
}

/// The reply of a method that replies with nothing.
public struct NoReply: JSONWritable {
  public init() {}

  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.endObject()
  }
}

/// An object of a list, whose fields filters and orders ask for.
public protocol ListedObject: JSONWritable {
  /// The value of a field, by its name on the wire, or `nil` if it is absent, or if there is no such field.
  subscript(field: String) -> JSONValue? { get }
}

/// Where a method puts all replies but the last one.
public struct ReplyStream<Reply: JSONWritable>: Sendable {
  private let stream: VarlinkStream

  init(_ stream: VarlinkStream) { self.stream = stream }

  /// Sends one reply and waits until the connection accepted it.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ reply: Reply) async throws { try await stream.send(EncodedParameters(reply)) }

  /// Sends replies that are encoded already, and waits until the connection accepted all of them.
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

  /// Where replies before the last one go, or nil when the client accepts only one.
  func replies<Reply>(to stream: VarlinkStream) -> ReplyStream<Reply>? { mode == .more ? ReplyStream(stream) : nil }
}

extension VarlinkError {
  /// - Parameter members: the members of the error. Members that are nil are left out.
  init(_ name: String, carrying members: [String: JSONValue?]) { self.init(name, members.compactMapValues { $0 }) }
}
