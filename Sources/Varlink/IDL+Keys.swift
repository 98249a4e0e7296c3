internal import StrictJSON

extension IDL.Interface {
  /// Whether the interface declares every member of `value`, at any depth. Types are checked when the value is decoded.
  func knows(_ value: JSONValue, as type: IDL.FieldType) -> Bool {
    switch (type, value) {
    case (_, .null), (.object, _): true
    case (.optional(let wrapped), _): knows(value, as: wrapped)
    case (.array(let element), .array(let elements)): elements.allSatisfy { knows($0, as: element) }
    case (.map(let element), .object(let members)): members.values.allSatisfy { knows($0, as: element) }
    case (.structure(let fields), .object(let members)): knows(members, fields)
    case (.named(let name), .object(let members)):
      self.members.lazy.compactMap { member -> [IDL.Field]? in
        if case .structure(let structure) = member, structure.name == name { structure.fields } else { nil }
      }.first.map { knows(members, $0) } ?? true
    case (.bool, _), (.int, _), (.float, _), (.string, _), (.enumeration, _), (.named, _), (.array, _), (.map, _),
      (.structure, _):
      true
    }
  }

  private func knows(_ members: [String: JSONValue], _ fields: [IDL.Field]) -> Bool {
    members.allSatisfy { key, value in fields.first { $0.name == key }.map { knows(value, as: $0.type) } ?? false }
  }
}
