internal import Varlink

extension Generator {
  /// The errors of an interface as one enumeration with what they carry; nil when it has none.
  func refusals(of interface: IDL.Interface) -> String? {
    guard !interface.errors.isEmpty, let title = interface.name.split(separator: ".").last else { return nil }
    let name = title.prefix(1).uppercased() + title.dropFirst() + "Refusal"
    var lines = ["/// Why `\(interface.name)` refused a call.", "public enum \(name): Error, Hashable, Sendable {"]
    var cases: [String] = []
    for error in interface.errors {
      let word = error.name.prefix(1).lowercased() + error.name.dropFirst()
      lines += documented(error.comment, indent: "  ")
      let values = error.fields.map { "\($0.name): \(carried($0))" }.joined(separator: ", ")
      lines.append("  case \(word)\(values.isEmpty ? "" : "(\(values))")")
      let arguments = error.fields.map { "\($0.name): \(reading($0))" }
      cases.append("    case \"\(interface.name).\(error.name)\":")
      cases.append(
        "      self = .\(word)\(arguments.isEmpty ? "" : "(\n        \(arguments.joined(separator: ",\n        ")))")")
    }
    lines += [
      "  /// An error that this version does not know, or one of Varlink's own.", "  case other(VarlinkError)", "",
      "  /// - Parameter error: as the daemon sent it.", "  public init(_ error: VarlinkError) {", "    switch error.name {",
    ]
    lines += cases + ["    default: self = .other(error)", "    }", "  }", "}", ""]
    return lines.joined(separator: "\n")
  }

  /// What is carried of a field: an object only if this version can read it.
  private func carried(_ field: IDL.Field) -> String {
    if case .named = field.type, swift(field) != "String" { return swift(field) + "?" }
    return swift(field)
  }

  /// What a field of an error is read with; what is missing or of another type counts as empty.
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
