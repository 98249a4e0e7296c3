public import NIOCore
internal import StrictJSON

/// An interface that a server offers.
public protocol VarlinkInterface: Sendable {
  /// The interface in its definition language, as served to clients.
  var definition: IDL.Interface { get }

  /// Answers one call of a method that `definition` has, with parameters whose names it has.
  /// - Parameter stream: accepts replies before the last one. Only for calls with `more`.
  /// - Returns: the parameters of the last reply.
  /// - Throws: `VarlinkError` for the client. After anything else the connection is closed without an answer, and the server's `Notice`
  ///   gives the reason, unless it is a `CancellationError`.
  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters

  /// Answers on the connection's own thread, if that needs no waiting and hardly any time. `nil` leaves the call to `answer`.
  func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> EncodedParameters?
}

extension VarlinkInterface {
  public func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> EncodedParameters? { nil }
}

/// Accepts all replies of a method but the last one. Sending waits for the socket, and the sender waits with it: for a client that does not
/// read, only one write is kept.
public struct VarlinkStream: Sendable {
  private let write: @Sendable (_ messages: ByteBuffer) async throws -> Void

  /// - Parameter write: writes messages, each with its terminator, and returns once the connection accepted all of them.
  public init(write: @escaping @Sendable (ByteBuffer) async throws -> Void) { self.write = write }

  /// Sends one reply and waits until the connection accepted it.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ parameters: EncodedParameters) async throws { try await write(parameters.message(continues: true)) }

  /// Sends replies in one write and waits until the connection accepted all of them.
  /// - Throws: `CancellationError` when the client is gone.
  public func send(_ replies: EncodedReplies) async throws { try await write(replies.messages) }
}

/// All interfaces of one server, with `org.varlink.service` among them.
public struct VarlinkService: Sendable {
  public struct Information: Hashable, Sendable {
    public let vendor: String
    public let product: String
    public let version: String
    public let url: String

    public init(vendor: String, product: String, version: String, url: String) {
      self.vendor = vendor
      self.product = product
      self.version = version
      self.url = url
    }
  }

  private let information: Information
  private let interfaces: [String: any VarlinkInterface]
  private let own: IDL.Interface

  public init(_ information: Information, interfaces: [any VarlinkInterface]) {
    self.information = information
    self.interfaces = Dictionary(interfaces.map { ($0.definition.name, $0) }) { first, _ in first }
    own = IDL.service
  }

  /// Answers a call that needs no waiting. `nil` leaves it to `answer`.
  func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> EncodedParameters? {
    try check(call)
    guard let interface = interfaces[call.interface] else { return try answerOwn(call) }
    return try interface.answerAtOnce(call, from: peer)
  }

  /// Answers one call that `answerAtOnce` has left.
  func answer(
    _ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream
  ) async throws -> EncodedParameters {
    guard let interface = interfaces[call.interface] else { return try answerOwn(call) }
    return try await interface.answer(call, from: peer, stream: stream)
  }

  /// Refuses methods and parameters that the interface does not have, and texts that libraries in C, databases above all, would read only
  /// in part.
  func check(_ call: VarlinkCall) throws {
    guard call.method.contains(".") else { throw VarlinkError.methodNotFound(call.method) }
    guard let definition = call.interface == own.name ? own : interfaces[call.interface]?.definition else {
      throw VarlinkError.interfaceNotFound(call.interface)
    }
    guard let method = definition.method(call.name) else {
      throw VarlinkError.methodNotFound(call.method)
    }
    for (key, value) in call.parameters.sorted(by: { $0.key < $1.key }) {
      guard let field = method.input.first(where: { $0.name == key }), definition.knows(value, as: field.type) else {
        throw VarlinkError.invalidParameter(key)
      }
      guard !value.hasNUL else { throw VarlinkError.invalidParameter(key) }
    }
    if method.requiresMore, call.mode != .more { throw VarlinkError.expectedMore }
  }

  private func answerOwn(_ call: VarlinkCall) throws -> EncodedParameters {
    switch call.name {
    case "GetInfo":
      return [
        "vendor": .string(information.vendor), "product": .string(information.product),
        "version": .string(information.version), "url": .string(information.url),
        "interfaces": .array((interfaces.keys + [own.name]).sorted().map(JSONValue.string)),
      ]
    case "GetInterfaceDescription":
      guard let name = call.parameters["interface"]?.string else { throw VarlinkError.invalidParameter("interface") }
      guard let definition = name == own.name ? own : interfaces[name]?.definition else {
        throw VarlinkError.interfaceNotFound(name)
      }
      return ["description": .string(definition.text)]
    default: throw VarlinkError.methodNotFound(call.method)
    }
  }
}

extension JSONValue {
  /// Whether a text in it, or the name of a member, has U+0000.
  fileprivate var hasNUL: Bool {
    switch self {
    case .string(let text): text.utf8.contains(0)
    case .array(let values): values.contains(where: \.hasNUL)
    case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.hasNUL }
    default: false
    }
  }
}
