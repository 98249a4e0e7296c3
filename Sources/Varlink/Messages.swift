public import StrictJSON

/// One call as it arrived: a method of an interface with its parameters.
public struct VarlinkCall: Hashable, Sendable {
  public enum Mode: Hashable, Sendable { case single, more, oneway, upgrade }

  /// `interface.Method`.
  public let method: String
  public let parameters: [String: JSONValue]
  public let mode: Mode

  public init(method: String, parameters: [String: JSONValue] = [:], mode: Mode = .single) {
    self.method = method
    self.parameters = parameters
    self.mode = mode
  }

  /// Everything before the last dot, or empty if there is none.
  public var interface: String { method.lastIndex(of: ".").map { String(method[..<$0]) } ?? "" }
  /// Everything after the last dot.
  public var name: String { method.lastIndex(of: ".").map { String(method[method.index(after: $0)...]) } ?? method }
}

/// One reply.
public struct VarlinkReply: Hashable, Sendable {
  public let parameters: [String: JSONValue]
  /// Whether more replies follow.
  public let continues: Bool

  public init(parameters: [String: JSONValue] = [:], continues: Bool = false) {
    self.parameters = parameters
    self.continues = continues
  }
}

/// An error reply.
public struct VarlinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Fully qualified: `interface.Error`.
  public let name: String
  public let parameters: [String: JSONValue]

  public init(_ name: String, _ parameters: [String: JSONValue] = [:]) {
    self.name = name
    self.parameters = parameters
  }

  public var description: String { parameters.isEmpty ? name : "\(name) \(JSONValue.object(parameters).text)" }

  public static func interfaceNotFound(_ interface: String) -> Self {
    Self("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
  }
  /// - Parameter method: the full name of the method.
  public static func methodNotFound(_ method: String) -> Self {
    Self("org.varlink.service.MethodNotFound", ["method": .string(method)])
  }
  /// - Parameter method: the full name of the method.
  public static func methodNotImplemented(_ method: String) -> Self {
    Self("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
  }
  /// - Parameter parameter: the outermost name of the parameter.
  public static func invalidParameter(_ parameter: String) -> Self {
    Self("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
  }
  public static let permissionDenied = Self("org.varlink.service.PermissionDenied")
  public static let expectedMore = Self("org.varlink.service.ExpectedMore")
}

/// A message that no Varlink peer may send. The connection is closed without an answer.
public struct VarlinkProtocolError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}

extension VarlinkCall {
  /// Reads one message without its terminator (varlink.org, Method-Call; docs/design/varlink.md#messages).
  public init(message: some Sequence<UInt8>) throws(VarlinkProtocolError) {
    let (call, unusable) = try Self.read(message)
    if let unusable { throw VarlinkProtocolError("the parameter '\(unusable.prefix(64))' is unreadable") }
    self = call
  }

  /// Reads one message like the other initialiser, for a server, which can report a parameter that is valid JSON but unusable.
  /// - Returns: the call, and the outermost name of a parameter that is nested too deeply, or has keys that differ only in normalisation.
  static func read(_ message: some Sequence<UInt8>) throws(VarlinkProtocolError) -> (call: VarlinkCall, unusable: String?) {
    let parsed: (value: JSONValue, flaws: [JSONFlaw])
    do { parsed = try JSONParser.parseSteppingOver(message) } catch { throw VarlinkProtocolError(error.description) }
    let call = try VarlinkCall(
      members: try Envelope.members(parsed.value, known: ["method", "parameters", "oneway", "more", "upgrade"]))
    var unusable: String?
    // Extensions of vendors are ignored, with any contents.
    for flaw in parsed.flaws where flaw.path.first?.contains(".") != true {
      guard flaw.path.count == 2, flaw.path[0] == "parameters" else {
        throw VarlinkProtocolError("the message \(flaw.reason.rawValue)")
      }
      unusable = flaw.path[1]
    }
    return (call, unusable)
  }

  private init(members: [String: JSONValue]) throws(VarlinkProtocolError) {
    guard let method = members["method"]?.string else { throw VarlinkProtocolError("the method is missing") }
    let (oneway, more, upgrade) = (
      try Envelope.flag("oneway", members), try Envelope.flag("more", members), try Envelope.flag("upgrade", members)
    )
    guard !(oneway && more) else { throw VarlinkProtocolError("oneway and more exclude each other") }
    self.init(
      method: method, parameters: try Envelope.parameters(members),
      mode: oneway ? .oneway : more ? .more : upgrade ? .upgrade : .single)
  }

  /// The message with its terminator.
  public var message: [UInt8] {
    var out: [UInt8] = Array("{\"method\":".utf8)
    JSONValue.write(method, into: &out)
    if !parameters.isEmpty {
      out.append(contentsOf: ",\"parameters\":".utf8)
      JSONValue.object(parameters).write(into: &out)
    }
    switch mode {
    case .single: break
    case .more: out.append(contentsOf: ",\"more\":true".utf8)
    case .oneway: out.append(contentsOf: ",\"oneway\":true".utf8)
    case .upgrade: out.append(contentsOf: ",\"upgrade\":true".utf8)
    }
    out.append(contentsOf: [UInt8(ascii: "}"), 0])
    return out
  }
}

extension VarlinkReply {
  /// Reads one message without its terminator.
  /// - Throws: `VarlinkError` if it is an error reply, `VarlinkProtocolError` if it is not a reply at all.
  public init(message: some Sequence<UInt8>) throws {
    let value: JSONValue
    do { value = try JSONParser.parse(message) } catch { throw VarlinkProtocolError(error.description) }
    let members = try Envelope.members(value, known: ["parameters", "continues", "error"])
    let continues = try Envelope.flag("continues", members)
    let parameters = try Envelope.parameters(members)
    if let error = members["error"] {
      guard let name = error.string, !continues else { throw VarlinkProtocolError("a malformed error reply") }
      throw VarlinkError(name, parameters)
    }
    self.init(parameters: parameters, continues: continues)
  }

  // The parts of a message around the parameters.
  static let head = Array("{\"parameters\":".utf8)
  static let tail = Array("}\0".utf8)
  static let tailOfOneThatContinues = Array(",\"continues\":true}\0".utf8)

  /// The message with its terminator. Empty parameters are written, because some clients expect them.
  public var message: [UInt8] {
    var out = Self.head
    JSONValue.object(parameters).write(into: &out)
    out += continues ? Self.tailOfOneThatContinues : Self.tail
    return out
  }
}

extension VarlinkError {
  /// The message with its terminator.
  public var message: [UInt8] {
    var out: [UInt8] = Array("{\"error\":".utf8)
    JSONValue.write(name, into: &out)
    out.append(contentsOf: ",\"parameters\":".utf8)
    JSONValue.object(parameters).write(into: &out)
    out.append(contentsOf: [UInt8(ascii: "}"), 0])
    return out
  }
}

private enum Envelope {
  static func members(_ value: JSONValue, known: Set<String>) throws(VarlinkProtocolError) -> [String: JSONValue] {
    guard let members = value.object else { throw VarlinkProtocolError("a message must be an object") }
    // Dotted keys are vendor extensions and may be ignored. Any other unknown key breaks the protocol.
    for key in members.keys where !known.contains(key) && !key.contains(".") {
      throw VarlinkProtocolError("unknown key '\(key.prefix(64))'")
    }
    return members
  }

  static func flag(_ name: String, _ members: [String: JSONValue]) throws(VarlinkProtocolError) -> Bool {
    switch members[name] {
    case nil, .null?: return false
    case .bool(let value)?: return value
    default: throw VarlinkProtocolError("'\(name)' must be a boolean")
    }
  }

  static func parameters(_ members: [String: JSONValue]) throws(VarlinkProtocolError) -> [String: JSONValue] {
    switch members["parameters"] {
    case nil, .null?: return [:]
    case .object(let parameters)?: return parameters
    default: throw VarlinkProtocolError("'parameters' must be an object")
    }
  }
}
