internal import Varlink

extension Generator {
  /// The errors of an interface as one enumeration with their members, or nil when it has none.
  func refusals(of interface: IDL.Interface) -> String? {
    guard !interface.errors.isEmpty else { return nil }
    var lines = [
      "/// Why `\(interface.name)` refused a call.", "public enum \(title(interface))Refusal: InterfaceRefusal {",
      "  public static let interface = \"\(interface.name)\"", "",
    ]
    var (cases, errors): ([String], [String]) = ([], [])
    for error in interface.errors {
      let word = lowercased(error.name)
      lines += documented(error.comment, indent: "  ")
      let values = error.fields.map { "\($0.name): \(carried($0))" }.joined(separator: ", ")
      lines.append("  case \(word)\(values.isEmpty ? "" : "(\(values))")")
      let arguments = error.fields.map { "\($0.name): \(reading($0))" }
      cases.append("    case \"\(interface.name).\(error.name)\":")
      cases.append(
        "      self = .\(word)\(arguments.isEmpty ? "" : "(\n        \(arguments.joined(separator: ",\n        ")))")")
      errors += self.error(error, word, interface)
    }
    lines += [
      "  /// An error that this version does not know, or one of Varlink's own.", "  case other(VarlinkError)", "",
      "  /// - Parameter error: as the daemon sent it.", "  public init(_ error: VarlinkError) {", "    switch error.name {",
    ]
    lines += cases + ["    default: self = .other(error)", "    }", "  }", ""]
    lines += ["  /// What goes over the wire.", "  public var error: VarlinkError {", "    switch self {"]
    lines += errors + ["    case .other(let error): error", "    }", "  }", ""]
    lines += ["  /// The sentence for people.", "  public var sentence: RefusalSentence {", "    switch self {"]
    lines += interface.errors.map { "    case \(sentence(of: $0, interface))" }
    lines += ["    case .other(let error): .of(service: error)", "    }", "  }", "}", ""]
    return lines.joined(separator: "\n")
  }

  /// Sentences that have another name than their error, because the error means something else in another interface.
  private static let sentences = [
    "org.batond.Identities.DuplicateName": "duplicateIdentity", "org.batond.Posts.IdempotencyKeyReused": "postKeyReused",
    "org.batond.Servers.DuplicateAddress": "duplicateServer", "org.batond.Relays.DuplicateAddress": "duplicateRelay",
  ]

  /// The case that gives an error its sentence, which has the error's name and fields.
  private func sentence(of error: IDL.Structure, _ interface: IDL.Interface) -> String {
    let word = lowercased(error.name)
    let sentence = Self.sentences["\(interface.name).\(error.name)"] ?? word
    guard !error.fields.isEmpty else { return ".\(word): .\(sentence)" }
    let bound = error.fields.map { "let \(escaped($0.name))" }.joined(separator: ", ")
    let fields = error.fields.map { "\($0.name): \(escaped($0.name))" }.joined(separator: ", ")
    return ".\(word)(\(bound)): .\(sentence)(\(fields))"
  }

  /// The case that turns an error into its form on the wire.
  private func error(_ error: IDL.Structure, _ word: String, _ interface: IDL.Interface) -> [String] {
    let name = "\"\(interface.name).\(error.name)\""
    guard !error.fields.isEmpty else { return ["    case .\(word): VarlinkError(\(name))"] }
    let bound = error.fields.map { "let \(escaped($0.name))" }.joined(separator: ", ")
    let members = error.fields.map { "\"\($0.name)\": \(writing($0))" }
    // As the formatter has it: a comma after the last of several members.
    let carried =
      members.count == 1
      ? ["        carrying: [\(members[0])])"]
      : ["        carrying: ["] + members.map { "          \($0)," } + ["        ])"]
    return ["    case .\(word)(\(bound)):", "      VarlinkError(", "        \(name),"] + carried
  }

  /// The code that writes a field of an error. A value that cannot be written is left out.
  private func writing(_ field: IDL.Field) -> String {
    let name = escaped(field.name)
    switch field.type {
    case .string, .enumeration: return ".string(\(name))"
    case .int: return swift(field) == "Int64" ? ".integer(\(name))" : ".integer(Int64(\(name)))"
    case .bool: return ".bool(\(name))"
    case .object: return name
    case .optional(.string): return "\(name).map(JSONValue.string)"
    case .optional(.int):
      return swift(field) == "Int64?" ? "\(name).map(JSONValue.integer)" : "\(name).map { JSONValue.integer(Int64($0)) }"
    case .optional, .float, .named, .array, .map, .structure:
      let type = carried(field)
      if type == "String" { return ".string(\(name))" }
      return type.hasSuffix("?") ? "\(name).flatMap { try? $0.json }" : "try? \(name).json"
    }
  }

  /// The type of a field of an error: an object may be missing, because it is read only if this version can read it.
  private func carried(_ field: IDL.Field) -> String {
    if case .named = field.type, swift(field) != "String" { return swift(field) + "?" }
    return swift(field)
  }

  /// The code that reads a field of an error. A value that is missing or of another type counts as empty.
  private func reading(_ field: IDL.Field) -> String {
    let value = "error.parameters[\"\(field.name)\"]"
    switch field.type {
    case .string, .enumeration: return "\(value)?.string ?? \"\""
    case .int: return swift(field) == "Int64" ? "\(value)?.integer ?? 0" : "Int(\(value)?.integer ?? 0)"
    case .bool: return "\(value)?.bool ?? false"
    case .object: return "\(value) ?? .null"
    case .optional(.string): return "\(value)?.string"
    case .optional(.int): return swift(field) == "Int64?" ? "\(value)?.integer" : "\(value)?.integer.map { Int($0) }"
    case .optional, .float, .named, .array, .map, .structure:
      let type = carried(field)
      if type == "String" { return "\(value)?.string ?? \"\"" }
      return type.hasSuffix("?")
        ? "try? \(type.dropLast())(json: \(value) ?? .null)" : "(try? \(type)(json: \(value) ?? .null)) ?? []"
    }
  }
}
