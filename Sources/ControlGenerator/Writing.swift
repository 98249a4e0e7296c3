internal import Varlink

extension Generator {
  /// Whether a method lists objects by a filter, which asks for their fields by name.
  func isFiltered(_ method: IDL.Method) -> Bool { method.input.contains { $0.name == "filter" } }

  /// Whether a method has the parameters of all lists in any order.
  func isList(_ method: IDL.Method) -> Bool { method.input.map(\.name) == ["filter", "sort", "limit", "cursor"] }

  /// The types of the objects that interfaces list by filters.
  func listed(by interfaces: [IDL.Interface]) -> Set<String> {
    let lists = interfaces.flatMap(\.methods).filter(isFiltered)
    return Set(
      lists.compactMap { list in
        // A list gives its objects first.
        if case .array(.named(let name))? = list.output.first?.type { name } else { nil }
      })
  }

  /// The extension with which a type writes itself, members in the order of their names.
  /// - Parameter isListed: whether the fields can be asked for as well.
  func writer(of type: String, _ fields: [IDL.Field], isListed: Bool) -> String {
    let members = fields.map(\.name).sorted().map { "    writer.member(\"\($0)\", \(escaped($0)))" }
    let lines =
      [
        "extension \(type): \(isListed ? "ListedObject" : "JSONWritable") {",
        "  public func writeJSON(to writer: inout JSONWriter) {", "    writer.beginObject()",
      ] + members + ["    writer.endObject()", "  }"]
    return (lines + (isListed ? lookup(of: fields) : []) + ["}", ""]).joined(separator: "\n")
  }

  /// The code with which filters and orders find the fields of an object.
  private func lookup(of fields: [IDL.Field]) -> [String] {
    let cases = fields.map { "    case \"\($0.name)\": \(value(escaped($0.name), swift($0)))" }
    return ["", "  public subscript(field: String) -> JSONValue? {", "    switch field {"] + cases
      + ["    default: nil", "    }", "  }"]
  }

  /// A field of a Swift type as a value that is JSON, or `nil` if it is absent.
  private func value(_ name: String, _ type: String) -> String {
    switch type {
    case "JSONValue", "JSONValue?": name
    case "String": ".string(\(name))"
    case "String?": "\(name).map(JSONValue.string)"
    case "Int64": ".integer(\(name))"
    case "Int64?": "\(name).map(JSONValue.integer)"
    case "Int": ".integer(Int64(\(name)))"
    case "Int?": "\(name).map { JSONValue.integer(Int64($0)) }"
    case "Bool": ".bool(\(name))"
    case "Bool?": "\(name).map(JSONValue.bool)"
    case "Double": ".number(\(name))"
    case "Double?": "\(name).map(JSONValue.number)"
    default: type.hasSuffix("?") ? "\(name).flatMap { try? $0.json }" : "try? \(name).json"
    }
  }
}
