public import Varlink

/// Writes the Swift types of the control interfaces from their `.varlink` files. The output is committed; a test holds that it is current.
public struct Generator {
  /// A file below `Sources/ControlAPI/Generated`.
  public struct File: Hashable, Sendable {
    public let name: String
    public let text: String
  }

  /// Two interfaces have types of one name that differ, or a method that is asked for is not there.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Parameters and replies that get a type of their own; all others are taken apart where they are used.
  private static let parameters = [
    "org.batond.Operators.Add": "AddOperator", "org.batond.Operators.Update": "UpdateOperator",
    "org.batond.Servers.Add": "AddServer", "org.batond.Servers.Update": "UpdateServer",
    "org.batond.Relays.Add": "AddRelay", "org.batond.Relays.Update": "UpdateRelay", "org.batond.Relays.Test": "TestRequest",
    "org.batond.Channels.Create": "CreateChannel", "org.batond.Channels.Update": "UpdateChannel",
    "org.batond.Channels.List": "ListRequest", "org.batond.Monitor.Watch": "WatchRequest",
  ]
  private static let replies = [
    "org.batond.Monitor.Watch": "ChangeMessage", "org.batond.Daemon.Status": "DaemonStatus",
    "org.batond.Daemon.Reload": "ReloadReport",
  ]

  private var known: [String: [String]] = [:]

  public init() {}

  /// One file per interface that has types.
  public mutating func files(for interfaces: [IDL.Interface]) throws(Failure) -> [File] {
    var files: [File] = []
    // What several interfaces have in common belongs to the one that it is about, which comes last by name.
    for interface in interfaces.sorted(by: { $0.name > $1.name }) {
      let name = String(interface.name.split(separator: ".").last ?? "")
      let types = try types(of: interface)
      if !types.isEmpty { files.append(file(name, types, interface)) }
      if let refusals = refusals(of: interface) { files.append(file(name + "+Refusal", [refusals], interface)) }
    }
    return files
  }

  private func file(_ name: String, _ types: [String], _ interface: IDL.Interface) -> File {
    func uses(_ words: String...) -> Bool { types.contains { type in words.contains { type.contains($0) } } }
    var imports: [String] = []
    // Some fields are whatever they are, and members of errors are read with it.
    if uses(": JSONValue", ": [JSONValue]") {
      imports.append("public import StrictJSON")
    } else if uses("error.parameters") {
      imports.append("internal import StrictJSON")
    }
    if uses("VarlinkError") { imports.append("public import Varlink") }
    let head = ["// Written by `make generate` from \(interface.name).varlink.", ""] + imports + (imports.isEmpty ? [] : [""])
    return File(name: "\(name).swift", text: (head + types).joined(separator: "\n"))
  }

  private mutating func types(of interface: IDL.Interface) throws(Failure) -> [String] {
    var types: [String] = []
    for member in interface.members {
      switch member {
      case .structure(let structure):
        if let type = try type(structure.name, structure.fields, structure.comment, interface) { types.append(type) }
      case .method(let method):
        let name = "\(interface.name).\(method.name)"
        if let own = Self.parameters[name] {
          if let type = try type(own, method.input, "Parameters of \(name).", interface) { types.append(type) }
        }
        if let own = Self.replies[name] {
          if let type = try type(own, method.output, "A reply of \(name).", interface) { types.append(type) }
        }
      case .enumeration, .error: continue
      }
    }
    return types
  }

  /// The type as code; nil when another interface has it already.
  private mutating func type(
    _ name: String, _ fields: [IDL.Field], _ comment: String, _ interface: IDL.Interface
  ) throws(Failure) -> String? {
    let shape = fields.map { "\($0.name): \(swift($0))" }
    if let before = known[name] {
      guard before == shape else {
        throw Failure(description: "the type \(name) of \(interface.name) differs from that of another interface")
      }
      return nil
    }
    known[name] = shape
    var lines = documented(comment, indent: "")
    lines.append("public struct \(name): Codable, Hashable, Sendable {")
    for field in fields {
      lines += documented(field.comment, indent: "  ")
      lines.append("  public var \(escaped(field.name)): \(swift(field))")
    }
    lines += ["", "  public init("]
    for (index, field) in fields.enumerated() {
      let isOptional = if case .optional = field.type { true } else { false }
      lines.append(
        "    \(field.name): \(swift(field))\(isOptional ? " = nil" : "")\(index + 1 < fields.count ? "," : "")")
    }
    lines.append("  ) {")
    for field in fields { lines.append("    self.\(field.name) = \(escaped(field.name))") }
    return (lines + ["  }", "}", ""]).joined(separator: "\n")
  }

  func documented(_ comment: String, indent: String) -> [String] {
    comment.split(separator: "\n").map { "\(indent)/// \($0)" }
  }

  private func escaped(_ name: String) -> String { ["protocol", "operator"].contains(name) ? "`\(name)`" : name }

  func swift(_ field: IDL.Field) -> String { swift(field.type, field.name) }

  /// Identifiers and revisions have 64 bits by contract, everything else is counted in `Int`. Enumerations are words, so that clients get
  /// on with those that they do not know yet.
  private func swift(_ type: IDL.FieldType, _ name: String) -> String {
    switch type {
    case .bool: "Bool"
    case .int:
      ["id", "revision", "since", "pid"].contains(name) || name.hasSuffix("Id") || name.hasSuffix("Ids") ? "Int64" : "Int"
    case .float: "Double"
    case .string, .enumeration: "String"
    case .object, .structure: "JSONValue"
    case .named(let other): known[other] == nil ? "String" : other
    case .optional(let wrapped): swift(wrapped, name) + "?"
    case .array(let element): "[\(swift(element, name))]"
    case .map(let value): "[String: \(swift(value, name))]"
    }
  }
}
