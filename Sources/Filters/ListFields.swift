internal import StrictJSON

/// The fields that the objects of a list have, with their types, so that a condition that can never hold is refused instead of answered
/// with an empty list.
public struct ListFields: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public let name: String
    public let kind: Kind
    /// Whether objects may lack the field.
    public let isOptional: Bool

    public init(_ name: String, _ kind: Kind, isOptional: Bool = false) {
      self.name = name
      self.kind = kind
      self.isOptional = isOptional
    }
  }

  public indirect enum Kind: Hashable, Sendable {
    case bool, integer, number, text
    /// A time in RFC 3339 form, in UTC, with milliseconds.
    case time
    /// One of these words.
    case word([String])
    case list(Kind)
    case object([Field])
    /// Custom data of the owner, with any names below it.
    case anything
  }

  /// The field that a path of names leads to.
  struct Place {
    let name: String
    let kind: Kind
    let isOptional: Bool
  }

  public let fields: [Field]

  public init(_ fields: [Field]) { self.fields = fields }

  /// The paths of all fields that have a value themselves, as people write them. `NAME` stands for any name.
  public var names: [String] { Self.paths(fields).map { $0.joined(separator: ".") } }

  static let anyName = "NAME"

  private static func paths(_ fields: [Field]) -> [[String]] {
    fields.flatMap { field -> [[String]] in
      switch field.kind {
      case .object(let members): paths(members).map { [field.name] + $0 }
      case .anything: [[field.name, anyName]]
      case .bool, .integer, .number, .text, .time, .word, .list: [[field.name]]
      }
    }
  }

  /// The names that one can sort by.
  func names(where isSortable: ([String]) -> Bool) -> [String] {
    Self.paths(fields).filter(isSortable).map { $0.joined(separator: ".") }
  }

  /// The field to which `path` leads.
  /// - Parameter at: the place of the path in the filter, for the error.
  func place(_ path: [String], at place: String) throws(Filter.Invalid) -> Place {
    var members = fields
    var isOptional = false
    for (index, name) in path.enumerated() {
      guard let field = members.first(where: { $0.name == name }) else { throw unknown(path, at: place) }
      isOptional = isOptional || field.isOptional
      let isLast = index == path.count - 1
      switch field.kind {
      case .anything: return Place(name: path.joined(separator: "."), kind: .anything, isOptional: true)
      case .object(let inner) where !isLast: members = inner
      case .bool, .integer, .number, .text, .time, .word, .list, .object:
        guard isLast else { throw unknown(path, at: place) }
        return Place(name: path.joined(separator: "."), kind: field.kind, isOptional: isOptional)
      }
    }
    throw unknown(path, at: place)
  }

  private func unknown(_ path: [String], at place: String) -> Filter.Invalid {
    let (name, names) = (path.joined(separator: "."), names)
    let hint =
      Nearest.to(name, among: names.filter { !$0.hasSuffix("." + Self.anyName) }).map { ". Did you mean \($0)?" } ?? "."
    return Filter.Invalid(
      path: place, reason: "there is no field '\(name.prefix(64))'\(hint) There are \(names.joined(separator: ", "))")
  }
}

extension ListFields.Place {
  /// Refuses an operand that no object can meet.
  /// - Parameters:
  ///   - word: the operator. A bare value means `$eq`.
  ///   - at: the place of the operand in the filter, for the error.
  func check(_ value: JSONValue, of word: String, at place: String) throws(Filter.Invalid) {
    if case .object(let members) = kind, word != "$exists", let first = members.first {
      throw Filter.Invalid(path: place, reason: "\(name) has members: ask for one of them, such as \(name).\(first.name)")
    }
    guard kind.operators.contains(word) else {
      throw Filter.Invalid(
        path: place, reason: "\(name) does not accept \(word), only \(kind.operators.joined(separator: ", "))")
    }
    switch (word, kind) {
    case ("$in", _), ("$nin", _):
      // The operator itself checks that the operand is a list.
      for element in value.array ?? [] { try check(element, of: "$eq", at: place) }
    case ("$contains", .list(let element)): try element.check(value, name, at: place)
    case ("$eq", _), ("$ne", _):
      guard value != .null else {
        guard isOptional else {
          throw Filter.Invalid(path: place, reason: "\(name) is never absent: it is \(kind.words)")
        }
        return
      }
      try kind.check(value, name, at: place)
    case ("$gt", .time), ("$gte", .time), ("$lt", .time), ("$lte", .time):
      guard let text = value.string, Self.isTime(text, orItsBeginning: true) else {
        throw Filter.Invalid(
          path: place, reason: "must be \(ListFields.Kind.time.words), or the beginning of one, such as 2026-01-31")
      }
    case ("$gt", _), ("$gte", _), ("$lt", _), ("$lte", _): try kind.check(value, name, at: place)
    default: break  // the operator itself checks its operand
    }
  }

  /// The form in which times are written. Times are compared as texts, so other forms would be compared wrongly.
  fileprivate static func isTime(_ text: String, orItsBeginning: Bool = false) -> Bool {
    let form = Array("0000-00-00T00:00:00.000Z".utf8)
    let bytes = Array(text.utf8)
    guard orItsBeginning ? [4, 7, 10, 13, 16, 19, 23, 24].contains(bytes.count) : bytes.count == form.count else {
      return false
    }
    return zip(bytes, form).allSatisfy { $1 == UInt8(ascii: "0") ? (0x30...0x39).contains($0) : $0 == $1 }
  }
}

extension ListFields.Kind {
  /// The operators that can hold for a value of this kind.
  fileprivate var operators: [String] {
    let equal = ["$eq", "$ne", "$in", "$nin", "$exists"]
    let order = ["$gt", "$gte", "$lt", "$lte"]
    return switch self {
    case .bool, .word: equal
    case .integer, .number, .time: equal + order
    case .text: equal + order + ["$q", "$autocomplete"]
    case .list(.object): ["$elemMatch", "$exists"]
    case .list: equal + ["$contains"]
    case .object: ["$exists"]
    case .anything: Filter.operators
    }
  }

  /// A description of values of this kind.
  fileprivate var words: String {
    switch self {
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .text: "a text"
    case .time: "a time in the form of 2026-01-31T12:00:00.000Z"
    case .word(let words): "one of \(words.joined(separator: ", "))"
    case .list(let element): "a list, each element \(element.words)"
    case .object(let members): "an object with \(members.map(\.name).joined(separator: ", "))"
    case .anything: "anything"
    }
  }

  fileprivate func check(_ value: JSONValue, _ name: String, at place: String) throws(Filter.Invalid) {
    switch (self, value) {
    case (.bool, .bool), (.integer, .integer), (.number, .integer), (.number, .number), (.text, .string), (.anything, _): return
    case (.integer, .number(let number)) where number.rounded() == number: return
    case (.time, .string(let text)) where ListFields.Place.isTime(text): return
    case (.word(let words), .string(let word)):
      guard !words.contains(word) else { return }
      let hint = Nearest.to(word, among: words).map { ". Did you mean \($0)?" } ?? ""
      throw Filter.Invalid(path: place, reason: "'\(word.prefix(64))' is not \(self.words)\(hint)")
    case (.list(let element), .array(let elements)):
      for value in elements { try element.check(value, name, at: place) }
    case (.list, _):
      throw Filter.Invalid(path: place, reason: "\(name) is a list: write {\"$contains\": \(Self.shown(value))}")
    default: throw Filter.Invalid(path: place, reason: "must be \(words), not \(Self.shown(value))")
    }
  }

  /// The value as an error shows it.
  private static func shown(_ value: JSONValue) -> String {
    switch value {
    case .null, .bool, .integer, .number: return value.text
    case .string(let text): return "\"\(text.prefix(64))\""
    case .array: return "a list"
    case .object(let members):
      return members.keys.contains { Filter.operators.contains("$" + $0) } ? "an object. Operators begin with $" : "an object"
    }
  }
}
