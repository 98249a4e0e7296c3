extension Encodable {
  /// The value as JSON. Optional members that are `nil` are left out.
  public var json: JSONValue {
    get throws {
      let encoder = ValueEncoder(codingPath: [])
      try encoder.encode(self)
      return encoder.box.finished
    }
  }
}

extension JSONValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? ValueEncoder else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "is only written as JSON"))
    }
    encoder.box.content = .value(self)
  }
}

/// A value under construction, shared by the containers that fill it.
private final class Box {
  enum Content {
    case value(JSONValue)
    case members([String: Box])
    case elements([Box])
  }
  var content: Content = .value(.object([:]))

  var finished: JSONValue {
    switch content {
    case .value(let value): value
    case .members(let members): .object(members.mapValues(\.finished))
    case .elements(let elements): .array(elements.map(\.finished))
    }
  }

  func member(_ key: String) -> Box {
    let box = Box()
    if case .members(var members) = content {
      content = .value(.null)
      members[key] = box
      content = .members(members)
    } else {
      content = .members([key: box])
    }
    return box
  }

  func element() -> Box {
    let box = Box()
    if case .elements(var elements) = content {
      content = .value(.null)
      elements.append(box)
      content = .elements(elements)
    } else {
      content = .elements([box])
    }
    return box
  }
}

private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
  let box: Box
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(box: Box = Box(), codingPath: [any CodingKey]) {
    self.box = box
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .members = box.content {} else { box.content = .members([:]) }
    return KeyedEncodingContainer(Members<Key>(box: box, codingPath: codingPath))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .elements = box.content {} else { box.content = .elements([]) }
    return Elements(box: box, codingPath: codingPath)
  }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { box.content = .value(.null) }
  func encode(_ value: Bool) { box.content = .value(.bool(value)) }
  func encode(_ value: String) { box.content = .value(.string(value)) }
  func encode(_ value: Double) { box.content = .value(.number(value)) }
  func encode(_ value: Float) { encode(Double(value)) }
  private func put(_ value: some BinaryInteger) throws {
    guard let integer = Int64(exactly: value) else {
      throw EncodingError.invalidValue(value, .init(codingPath: codingPath, debugDescription: "exceeds 64 bits"))
    }
    box.content = .value(.integer(integer))
  }
  func encode(_ value: Int) throws { try put(value) }
  func encode(_ value: Int8) throws { try put(value) }
  func encode(_ value: Int16) throws { try put(value) }
  func encode(_ value: Int32) throws { try put(value) }
  func encode(_ value: Int64) throws { try put(value) }
  func encode(_ value: UInt) throws { try put(value) }
  func encode(_ value: UInt8) throws { try put(value) }
  func encode(_ value: UInt16) throws { try put(value) }
  func encode(_ value: UInt32) throws { try put(value) }
  func encode(_ value: UInt64) throws { try put(value) }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: self) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let box: Box
  let codingPath: [any CodingKey]

  private func member(_ key: any CodingKey) -> ValueEncoder {
    ValueEncoder(box: box.member(key.stringValue), codingPath: codingPath + [key])
  }
  func encodeNil(forKey key: Key) { member(key).encodeNil() }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try value.encode(to: member(key)) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { ValueEncoder(box: box, codingPath: codingPath) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct Elements: UnkeyedEncodingContainer {
  let box: Box
  let codingPath: [any CodingKey]
  var count: Int { if case .elements(let elements) = box.content { elements.count } else { 0 } }

  private func element() -> ValueEncoder { ValueEncoder(box: box.element(), codingPath: codingPath + [IndexKey(count)]) }
  func encodeNil() { element().encodeNil() }
  func encode<T: Encodable>(_ value: T) throws { try value.encode(to: element()) }
  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    element().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
  func superEncoder() -> any Encoder { element() }
}
