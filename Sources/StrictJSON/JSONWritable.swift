/// A value that writes itself as JSON, without an intermediate tree of `JSONValue`.
public protocol JSONWritable: Sendable {
  /// Writes the value as one JSON value.
  func writeJSON(to writer: inout JSONWriter)
}

extension JSONWritable {
  /// The value as compact JSON in UTF-8: keys sorted, `/` not escaped, so equal values give equal bytes.
  public var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    writeJSON(to: &writer)
    return writer.bytes
  }
}

extension JSONValue: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.bytes.append(contentsOf: "null".utf8)
    case .bool(let value): value.writeJSON(to: &writer)
    case .integer(let value): value.writeJSON(to: &writer)
    case .number(let value): value.writeJSON(to: &writer)
    case .string(let value): value.writeJSON(to: &writer)
    case .array(let elements): elements.writeJSON(to: &writer)
    case .object(let members): members.writeJSON(to: &writer)
    }
  }
}

extension String: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) { JSONValue.write(self, into: &writer.bytes) }
}

extension Bool: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) { writer.bytes.append(contentsOf: (self ? "true" : "false").utf8) }
}

extension Int64: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) { writer.bytes.append(contentsOf: String(self).utf8) }
}

extension Int: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) { Int64(self).writeJSON(to: &writer) }
}

extension Double: JSONWritable {
  /// Writes values outside JSON, an infinity or no number, as `null`.
  public func writeJSON(to writer: inout JSONWriter) {
    writer.bytes.append(contentsOf: (isFinite ? "\(self)" : "null").utf8)
  }
}

extension Array: JSONWritable where Element: JSONWritable {
  @inlinable
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { writer.element(element) }
    writer.endArray()
  }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
  public func writeJSON(to writer: inout JSONWriter) {
    writer.beginObject()
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      writer.key(key)
      value.writeJSON(to: &writer)
    }
    writer.endObject()
  }
}
