/// The reason why a JSON value does not fit the requested type.
public struct JSONShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The members that lead to the offending value, outermost first.
  public let path: [String]
  public let reason: String
  public var description: String { path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)" }
}

extension Decodable {
  /// Reads the value from JSON. Unknown members are ignored here. Callers that must refuse them check the keys themselves.
  /// - Throws: `JSONShapeError` that names the member that does not fit.
  public init(json: JSONValue) throws {
    do {
      self = try ValueDecoder(value: json, codingPath: []).unwrap(Self.self)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      throw JSONShapeError(path: context.codingPath.map(\.stringValue), reason: context.debugDescription)
    } catch DecodingError.keyNotFound(let key, let context) {
      throw JSONShapeError(path: context.codingPath.map(\.stringValue) + [key.stringValue], reason: "is missing")
    }
  }
}

extension JSONValue: Decodable {
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "is not read from JSON"))
    }
    self = decoder.value
  }
}

struct IndexKey: CodingKey {
  let stringValue: String
  let intValue: Int?
  init(_ index: Int) {
    stringValue = String(index)
    intValue = index
  }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { self.init(intValue) }
}

private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func unwrap<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

  func mismatch(_ expected: String) -> DecodingError {
    .typeMismatch(JSONValue.self, .init(codingPath: codingPath, debugDescription: "must be \(expected)"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = value.object else { throw mismatch("an object") }
    return KeyedDecodingContainer(Members<Key>(members: members, codingPath: codingPath))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.array else { throw mismatch("an array") }
    return Elements(elements: elements, codingPath: codingPath)
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value == .null }
  func decode(_ type: Bool.Type) throws -> Bool {
    guard let bool = value.bool else { throw mismatch("a boolean") }
    return bool
  }
  func decode(_ type: String.Type) throws -> String {
    guard let string = value.string else { throw mismatch("a string") }
    return string
  }
  func decode(_ type: Double.Type) throws -> Double {
    switch value {
    case .integer(let integer): return Double(integer)
    case .number(let number): return number
    case .null, .bool, .string, .array, .object: throw mismatch("a number")
    }
  }
  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

  /// Reads an integer. Varlink peers may send integers beyond 2^53 as strings, and whole floats as integers.
  private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    let exact: T? =
      switch value {
      case .integer(let integer): T(exactly: integer)
      case .number(let number): T(exactly: number)
      // Swift would also accept a leading plus sign.
      case .string(let text): text.first == "+" ? nil : T(text)
      case .null, .bool, .array, .object: nil
      }
    guard let exact else { throw mismatch("an integer") }
    return exact
  }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try unwrap(type) }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: JSONValue]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  private func member(_ key: Key) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "is missing"))
    }
    return ValueDecoder(value: value, codingPath: codingPath + [key])
  }
  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).unwrap(type) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
    -> KeyedDecodingContainer<Nested>
  { try member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try member(key).unkeyedContainer() }
  func superDecoder() throws -> any Decoder { ValueDecoder(value: .object(members), codingPath: codingPath) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct Elements: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  init(elements: [JSONValue], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private mutating func next() throws -> ValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self, .init(codingPath: codingPath, debugDescription: "has too few elements"))
    }
    defer { currentIndex += 1 }
    return ValueDecoder(value: elements[currentIndex], codingPath: codingPath + [IndexKey(currentIndex)])
  }
  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex] == .null else { return false }
    currentIndex += 1
    return true
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().unwrap(type) }
  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }
}
