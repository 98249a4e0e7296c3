internal import Filters
internal import Varlink

extension ListFields {
  /// The fields of the objects that an interface lists, as its definition gives them.
  /// - Parameters:
  ///   - method: the name of the method that lists them.
  ///   - excluded: fields that objects in lists do not have, or that clients may not ask for.
  init(of interface: IDL.Interface, listedBy method: String = "List", without excluded: Set<String> = []) {
    // A list gives its objects first.
    guard let list = interface.methods.first(where: { $0.name == method })?.output.first,
      case .array(.named(let name)) = list.type, let object = Self.members(of: name, interface)
    else { preconditionFailure("\(interface.name) lists nothing") }
    self.init(object.filter { !excluded.contains($0.name) }.map { Self.field($0, interface) })
  }

  private static func members(of name: String, _ interface: IDL.Interface) -> [IDL.Field]? {
    interface.members.lazy.compactMap { member in
      if case .structure(let structure) = member, structure.name == name { structure.fields } else { nil }
    }.first
  }

  private static func field(_ field: IDL.Field, _ interface: IDL.Interface) -> Field {
    // Varlink has no type for times. The comment of every field with a time names the format.
    let isTime = field.comment.contains("RFC 3339")
    guard case .optional(let wrapped) = field.type else { return Field(field.name, kind(field.type, isTime, interface)) }
    return Field(field.name, kind(wrapped, isTime, interface), isOptional: true)
  }

  private static func kind(_ type: IDL.FieldType, _ isTime: Bool, _ interface: IDL.Interface) -> Kind {
    switch type {
    case .bool: return .bool
    case .int: return .integer
    case .float: return .number
    case .string: return isTime ? .time : .text
    case .enumeration(let words): return .word(words)
    case .structure(let fields): return .object(fields.map { field($0, interface) })
    case .object, .map: return .anything
    case .array(let element): return .list(kind(element, isTime, interface))
    case .optional(let wrapped): return kind(wrapped, isTime, interface)
    case .named(let name):
      if let fields = members(of: name, interface) { return .object(fields.map { field($0, interface) }) }
      for case .enumeration(name, let words, _) in interface.members { return .word(words) }
      return .anything
    }
  }
}
