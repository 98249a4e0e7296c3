/// Writes one JSON text: compact, in UTF-8, with the same bytes as the `JSONValue` of the same value. The caller names the members of an
/// object in ascending order, so that equal values give equal bytes.
public struct JSONWriter: Sendable {
  /// The text so far, with the bytes before it.
  public internal(set) var bytes: [UInt8]

  /// Room that most small texts do with.
  private static let roomBytes = 256

  /// - Parameter bytes: the bytes before the text.
  public init(after bytes: [UInt8] = []) {
    self.bytes = []
    self.bytes.reserveCapacity(bytes.count + Self.roomBytes)
    self.bytes += bytes
  }

  /// Takes over the bytes before the text, and leaves none behind.
  init(continuing bytes: inout [UInt8]) {
    self.bytes = []
    swap(&self.bytes, &bytes)
  }

  public mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }
  public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
  public mutating func beginArray() { bytes.append(UInt8(ascii: "[")) }
  public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// Writes a member of the object that was begun last.
  /// - Parameter name: has no characters that JSON escapes.
  @inlinable
  public mutating func member<Value: JSONWritable>(_ name: StaticString, _ value: Value) {
    key(name)
    value.writeJSON(to: &self)
  }

  /// Writes a member of the object that was begun last, unless it is `nil`: absent members are left out.
  /// - Parameter name: has no characters that JSON escapes.
  @inlinable
  public mutating func member<Value: JSONWritable>(_ name: StaticString, _ value: Value?) {
    if let value { member(name, value) }
  }

  /// Writes an element of the array that was begun last.
  @inlinable
  public mutating func element<Value: JSONWritable>(_ value: Value) {
    separate()
    value.writeJSON(to: &self)
  }

  /// Writes the name of a member of the object that was begun last. Its value comes next.
  /// - Parameter name: has no characters that JSON escapes.
  public mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes the name of a member of the object that was begun last. Its value comes next.
  public mutating func key(_ name: String) {
    separate()
    name.writeJSON(to: &self)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes the comma before all elements and members but the first. Where one has just begun nothing stands before it, and no value ends
  /// with the sign that begins a container.
  @usableFromInline
  mutating func separate() {
    if bytes.last != UInt8(ascii: "{"), bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
  }
}
