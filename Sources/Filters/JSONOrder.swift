public import StrictJSON

/// The comparison of JSON values in filters and sorts: texts by their UTF-8 bytes and numbers exactly, as in SQLite, so that evaluation
/// here and there agrees.
public enum JSONOrder {
  /// A total order: absent values, booleans, numbers, texts, then all others by their text.
  /// - Returns: negative, zero or positive.
  public static func compare(_ a: JSONValue, _ b: JSONValue) -> Int {
    switch (a, b) {
    case (.bool(let a), .bool(let b)): sign(a ? 1 : 0, b ? 1 : 0)
    case (.string(let a), .string(let b)): compare(a, b)
    case (.array, .array), (.array, .object), (.object, .array), (.object, .object): compare(a.text, b.text)
    default: number(a, b) ?? sign(rank(a), rank(b))
    }
  }

  /// Whether two values are equal. Numbers are compared by value.
  static func equal(_ a: JSONValue, _ b: JSONValue) -> Bool { rank(a) == rank(b) && compare(a, b) == 0 }

  /// The order of two numbers or two texts. Other pairs have no order.
  static func order(_ a: JSONValue, _ b: JSONValue) -> Int? {
    if case .string(let a) = a, case .string(let b) = b { return compare(a, b) }
    return number(a, b)
  }

  /// Compares texts by their UTF-8 bytes.
  static func compare(_ a: String, _ b: String) -> Int {
    if a.utf8.elementsEqual(b.utf8) { return 0 }
    return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1
  }

  private static func number(_ a: JSONValue, _ b: JSONValue) -> Int? {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): sign(a, b)
    case (.number(let a), .number(let b)): sign(a, b)
    case (.integer(let a), .number(let b)): compare(a, b)
    case (.number(let a), .integer(let b)): -compare(b, a)
    default: nil
    }
  }

  /// Compares numbers exactly, although not every integer can be a `Double`.
  private static func compare(_ a: Int64, _ b: Double) -> Int {
    if b >= 9_223_372_036_854_775_808 { return -1 }
    if b < -9_223_372_036_854_775_808 { return 1 }
    let whole = Int64(b.rounded(.towardZero))
    return a != whole ? sign(a, whole) : sign(0, b - b.rounded(.towardZero))
  }

  package static func rank(_ value: JSONValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .integer, .number: 2
    case .string: 3
    case .array, .object: 4
    }
  }

  private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
}
