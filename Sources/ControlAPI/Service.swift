public import Sentences
public import StrictJSON
public import Varlink

// What the generated parts of all interfaces have in common.

/// The methods of one interface, each with its full name on the wire.
public protocol InterfaceMethod: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// The errors that one interface declares. What every interface must declare is required here.
public protocol InterfaceRefusal: Error, Hashable, Sendable {
  /// Name of the interface.
  static var interface: String { get }

  /// What was asked for cannot be read, because the database is damaged.
  static func storageDamaged(reason: String) -> Self
  /// The database cannot be read or written.
  static func storageUnavailable(reason: String) -> Self
  /// The daemon has an internal fault.
  static var internalError: Self { get }
  /// One of Varlink's own errors, or one that this version does not know.
  static func other(_ error: VarlinkError) -> Self

  /// - Parameter error: as the daemon sent it.
  init(_ error: VarlinkError)

  /// What goes over the wire.
  var error: VarlinkError { get }

  /// What people are told.
  var sentence: RefusalSentence { get }
}

/// What a server of one interface does. Each interface has a protocol of its own that requires all of its methods.
public protocol InterfaceService: Sendable {
  associatedtype Method: InterfaceMethod
  associatedtype Refusal: InterfaceRefusal

  /// Answers one call of `method`.
  /// - Parameter stream: takes replies before the last one; only for calls with `more`.
  /// - Returns: the last reply.
  /// - Throws: `VarlinkError.invalidParameter` when the parameters cannot be read; whatever the method throws.
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

  /// Sends one reply and waits until the connection took it.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ reply: Reply) async throws { try await stream.send(EncodedParameters(reply)) }

  /// Sends replies that are encoded already, and waits until the connection took all of them.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ replies: EncodedReplies) async throws { try await stream.send(replies) }
}

extension VarlinkCall {
  /// The parameters as a typed value.
  /// - Throws: `VarlinkError.invalidParameter` with the name of the outermost one that does not fit.
  func request<Request: Decodable>() throws -> Request {
    do {
      // A null parameter means the same as an absent one.
      return try Request(json: .object(parameters.filter { $0.value != .null }))
    } catch let error as JSONShapeError {
      throw VarlinkError.invalidParameter(error.path.first ?? "parameters")
    }
  }

  /// Where replies before the last one go, or nil when the client takes one only.
  func replies<Reply>(to stream: VarlinkStream) -> ReplyStream<Reply>? { mode == .more ? ReplyStream(stream) : nil }
}

extension VarlinkError {
  /// - Parameter members: what comes with the error; what is nil is left out.
  init(_ name: String, carrying members: [String: JSONValue?]) { self.init(name, members.compactMapValues { $0 }) }
}
