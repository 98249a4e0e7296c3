/// Interface definitions (varlink.org, Interface-Definition).
public enum IDL {
  public struct Interface: Hashable, Sendable {
    public let name: String
    /// The definition as written.
    public let text: String
    public let members: [Member]

    /// The method of this name, found without building a list of all methods.
    func method(_ name: String) -> Method? {
      for case .method(let method) in members where method.name == name { return method }
      return nil
    }

    public var methods: [Method] { members.compactMap { if case .method(let method) = $0 { method } else { nil } } }
    public var errors: [Structure] { members.compactMap { if case .error(let error) = $0 { error } else { nil } } }
  }

  public enum Member: Hashable, Sendable {
    case structure(Structure)
    case enumeration(name: String, values: [String], comment: String)
    case method(Method)
    case error(Structure)
  }

  /// A named list of fields: a type or an error.
  public struct Structure: Hashable, Sendable {
    public let name: String
    public let fields: [Field]
    public let comment: String
  }

  public struct Method: Hashable, Sendable {
    public let name: String
    public let input: [Field]
    public let output: [Field]
    public let comment: String

    /// Whether the method streams. By systemd's convention the comment's first line contains that.
    public var requiresMore: Bool { comment.hasPrefix("[Requires 'more' flag]") }
    public var supportsMore: Bool { requiresMore || comment.hasPrefix("[Supports 'more' flag]") }
  }

  public struct Field: Hashable, Sendable {
    public let name: String
    public let type: FieldType
    public let comment: String
  }

  public indirect enum FieldType: Hashable, Sendable {
    case bool, int, float, string, object
    case named(String)
    case optional(FieldType)
    case array(FieldType)
    case map(FieldType)
    case structure([Field])
    case enumeration([String])
  }

  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public let line: Int
    public let reason: String
    public var description: String { "line \(line): \(reason)" }
  }

  /// The part of the language that is accepted.
  public enum Grammar: Hashable, Sendable {
    /// The subset that all known tools can read.
    case portable
    /// The whole language, including string sets, arrays of arrays and of optional values, empty types, and comments anywhere.
    case full
  }

  /// Reads a definition.
  public static func parse(_ text: String, grammar: Grammar = .portable) throws(ParseError) -> Interface {
    var parser = IDLParser(text, grammar: grammar)
    return try parser.interface()
  }

  /// The interface that every service has.
  static let service: Interface = {
    let text = """
      # Every Varlink service offers this interface.
      interface org.varlink.service

      # Who offers this service, and which interfaces it has.
      method GetInfo() -> (
      	vendor: string,
      	product: string,
      	version: string,
      	url: string,
      	interfaces: []string
      )

      # The definition of one interface.
      method GetInterfaceDescription(interface: string) -> (description: string)

      # The service does not have this interface.
      error InterfaceNotFound (interface: string)

      # The interface does not have this method.
      error MethodNotFound (method: string)

      # The method is declared, but not available in this build.
      error MethodNotImplemented (method: string)

      # A parameter is unknown, missing, or of the wrong type.
      error InvalidParameter (parameter: string)

      # The peer may not call this method.
      error PermissionDenied ()

      # The method must be called with 'more'.
      error ExpectedMore ()
      """
    guard let interface = try? parse(text + "\n") else { preconditionFailure("the built-in definition is wrong") }
    return interface
  }()
}
