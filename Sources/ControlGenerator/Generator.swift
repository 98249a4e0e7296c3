public import Varlink

/// Writes the Swift types of the control interfaces from their `.varlink` files. The output is committed, and a test checks that it is
/// current.
public struct Generator {
  /// A file below `Sources`.
  public struct File: Hashable, Sendable {
    public let name: String
    public let text: String
  }

  /// Two interfaces have different types of one name, or a requested method does not exist.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Parameters and replies that have their own name and are placed with the types of their interface. All others are named after their
  /// method and are placed with its messages.
  static let parameters = [
    "org.batond.Operators.Add": "AddOperator", "org.batond.Operators.Update": "UpdateOperator",
    "org.batond.Servers.Add": "AddServer", "org.batond.Servers.Update": "UpdateServer",
    "org.batond.Relays.Add": "AddRelay", "org.batond.Relays.Update": "UpdateRelay", "org.batond.Relays.Test": "TestRequest",
    "org.batond.Channels.Create": "CreateChannel", "org.batond.Channels.Update": "UpdateChannel",
    "org.batond.Channels.List": "ListRequest", "org.batond.Monitor.Watch": "WatchRequest",
  ]
  static let replies = [
    "org.batond.Monitor.Watch": "ChangeMessage", "org.batond.Daemon.Status": "DaemonStatus",
    "org.batond.Daemon.Reload": "ReloadReport", "org.batond.Servers.Test": "TestReply", "org.batond.Relays.Test": "TestReply",
  ]

  private var known: [String: [String]] = [:]
  /// The types of the objects that interfaces list.
  private var listed: Set<String> = []
  /// The code with which the types of an interface, and then its messages, write themselves as JSON, by the interface's name.
  private var writers: [String: [String]] = [:]

  public init() {}

  /// Files with the types of each interface, its errors, its messages, how types and messages become JSON, its server's protocol, and its
  /// client.
  public mutating func files(for interfaces: [IDL.Interface]) throws(Failure) -> [File] {
    var files: [File] = []
    listed = listed(by: interfaces)
    // A type of several interfaces belongs to the interface that it is about, which comes last by name.
    let interfaces = interfaces.sorted { $0.name > $1.name }
    for interface in interfaces {
      let types = try types(of: interface)
      if !types.isEmpty { files.append(file("", types, interface)) }
      if let refusals = refusals(of: interface) { files.append(file("+Refusal", [refusals], interface)) }
    }
    for interface in interfaces {
      if let writers = writers[interface.name] { files.append(file("+JSON", writers, interface)) }
    }
    writers = [:]
    // Messages have types of any interface in them.
    for interface in interfaces {
      let messages = try messages(of: interface)
      for (number, part) in Self.parts(messages.requests).enumerated() {
        files.append(file("+Requests" + (number == 0 ? "" : "\(number + 1)"), part, interface))
      }
      if !messages.replies.isEmpty { files.append(file("+Replies", messages.replies, interface)) }
      if let writers = writers[interface.name] { files.append(file("+MessageJSON", writers, interface)) }
      files.append(file("+Service", service(of: interface), interface))
      files.append(file("+Client", [client(of: interface)], interface, of: "BatonClient"))
    }
    return files
  }

  /// How many lines of types one file has.
  private static let linesMax = 360

  /// Types in files that are short enough to be read.
  private static func parts(_ types: [String]) -> [[String]] {
    var (parts, lines): ([[String]], Int) = ([], 0)
    for type in types {
      let own = type.count { $0 == "\n" } + 1
      if parts.isEmpty || lines + own > linesMax { (parts, lines) = (parts + [[]], 0) }
      parts[parts.count - 1].append(type)
      lines += own
    }
    return parts
  }

  /// The beginning of the names of all types of an interface that are not named otherwise.
  func title(_ interface: IDL.Interface) -> String {
    let name = interface.name.split(separator: ".").last ?? ""
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// A name in Swift that is not the name of a type.
  func lowercased(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

  private func file(_ contents: String, _ types: [String], _ interface: IDL.Interface, of module: String = "ControlAPI") -> File
  {
    func uses(_ words: String...) -> Bool { types.contains { type in words.contains { type.contains($0) } } }
    var imports = module == "ControlAPI" ? [] : ["public import ControlAPI"]
    if uses("RefusalSentence") { imports.append("public import Sentences") }
    // Some fields may be any JSON, and members of errors are read with it.
    if uses(": JSONValue", ": [JSONValue]", "-> JSONValue", "JSONWrit") {
      imports.append("public import StrictJSON")
    } else if uses("error.parameters", "JSONValue.") {
      imports.append("internal import StrictJSON")
    }
    if module == "ControlAPI", uses("VarlinkError", "VarlinkCall") { imports.append("public import Varlink") }
    let head = ["// Written by `make generate` from \(interface.name).varlink.", ""] + imports + (imports.isEmpty ? [] : [""])
    let name = interface.name.split(separator: ".").last ?? ""
    return File(name: "\(module)/Generated/\(name)\(contents).swift", text: (head + types).joined(separator: "\n"))
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

  /// The type as code, or nil when it is there already.
  mutating func type(
    _ name: String, _ fields: [IDL.Field], _ comment: String, _ interface: IDL.Interface
  ) throws(Failure) -> String? {
    let spelled = fields.map { swift($0) }
    let shape = zip(fields, spelled).map { "\($0.name): \($1)" }
    if let before = known[name] {
      guard before == shape else {
        throw Failure(description: "the type \(name) of \(interface.name) differs from that of another interface")
      }
      return nil
    }
    known[name] = shape
    var lines = documented(comment, indent: "")
    lines.append("public struct \(name): Codable, Hashable, Sendable {")
    for (field, type) in zip(fields, spelled) {
      lines += documented(field.comment, indent: "  ")
      lines.append("  public var \(escaped(field.name)): \(type)")
    }
    lines += ["", "  public init("]
    for (index, field) in fields.enumerated() {
      let isOptional = if case .optional = field.type { true } else { false }
      lines.append(
        "    \(field.name): \(spelled[index])\(isOptional ? " = nil" : "")\(index + 1 < fields.count ? "," : "")")
    }
    lines.append("  ) {")
    for field in fields { lines.append("    self.\(field.name) = \(escaped(field.name))") }
    writers[interface.name, default: []].append(writer(of: name, fields, isListed: listed.contains(name)))
    return (lines + ["  }", "}", ""]).joined(separator: "\n")
  }

  func documented(_ comment: String, indent: String) -> [String] {
    comment.split(separator: "\n").map { "\(indent)/// \($0)" }
  }

  func escaped(_ name: String) -> String { ["protocol", "operator"].contains(name) ? "`\(name)`" : name }

  func swift(_ field: IDL.Field) -> String { swift(field.type, field.name) }

  /// Identifiers and revisions have 64 bits by contract, everything else is counted in `Int`. Enumerations are words, so that clients
  /// accept words that they do not know yet.
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
