/// A statement with the values of its parameters.
public struct SQLStatement: Hashable, Sendable {
  /// One statement of SQL, with parameters `$1`, `$2` and so on.
  public let text: String
  public let values: [SQLValue]
  /// Whether each connection prepares it once and keeps it. Texts with endless variations are not kept.
  public let isKept: Bool

  public init(_ text: String, _ values: [SQLValue] = [], isKept: Bool = true) {
    self.text = text
    self.values = values
    self.isKept = isKept
  }
}

/// The value of a parameter, in PostgreSQL's binary form.
public enum SQLValue: Hashable, Sendable {
  case int(Int64?)
  case bool(Bool?)
  /// PostgreSQL stores no U+0000 in text, and refuses it (22021).
  case text(String?)
  case bytes([UInt8]?)
  case ints([Int64?])
  case bools([Bool?])
  case texts([String?])
  case byteStrings([[UInt8]?])

  /// PostgreSQL's number for the type.
  var type: UInt32 {
    switch self {
    case .int: 20
    case .bool: 16
    case .text: 25
    case .bytes: 17
    case .ints: 1_016
    case .bools: 1_000
    case .texts: 1_009
    case .byteStrings: 1_001
    }
  }

  /// - Returns: `nil` for NULL.
  var binary: [UInt8]? {
    switch self {
    case .int(let value): value.map { Self.binary($0) }
    case .bool(let value): value.map { [$0 ? 1 : 0] }
    case .text(let value): value.map { Array($0.utf8) }
    case .bytes(let value): value
    case .ints(let values): Self.array(values, of: 20) { Self.append($0, to: &$1) }
    case .bools(let values): Self.array(values, of: 16) { $1.append($0 ? 1 : 0) }
    case .texts(let values): Self.array(values, of: 25) { $1 += $0.utf8 }
    case .byteStrings(let values): Self.array(values, of: 17) { $1 += $0 }
    }
  }

  private static func binary(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }

  /// An array of one dimension, which begins at 1: dimensions, whether there are NULLs, the type, the length, the first index, and then
  /// each element behind its length.
  private static func array<Element>(
    _ elements: [Element?], of type: Int32, _ add: (Element, inout [UInt8]) -> Void
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + elements.count * 12)
    append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(elements.contains { $0 == nil } ? 1 : 0), to: &bytes)
    append(type, to: &bytes)
    guard !elements.isEmpty else { return bytes }
    append(Int32(elements.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for element in elements {
      let place = bytes.count
      append(Int32(-1), to: &bytes)
      guard let element else { continue }
      add(element, &bytes)
      let length = Int32(bytes.count - place - 4)
      withUnsafeBytes(of: length.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
    }
    return bytes
  }
}
