/// The reason why a text is not JSON that Baton accepts.
public struct JSONParseError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: String, Sendable {
    case unexpectedEnd = "ends too early"
    case unexpectedCharacter = "has an unexpected character"
    case invalidNumber = "has an invalid number"
    case invalidString = "has an invalid string"
    case invalidUTF8 = "is not UTF-8"
    case duplicateKey = "has the same key twice"
    case equivalentKeys = "has two keys that differ only in how their letters are composed"
    case tooDeep = "is nested too deeply"
    case trailingBytes = "continues after its end"
  }
  public let reason: Reason
  /// The offset of the offending byte.
  public let offset: Int
  public var description: String { "JSON \(reason.rawValue) at byte \(offset)" }
}

/// A well-formed part that cannot be kept: it is nested too deeply, or its key differs from another only in normalisation (Swift's
/// strings are compared in normal form, so that a dictionary cannot hold both).
public struct JSONFlaw: Hashable, Sendable {
  public let reason: JSONParseError.Reason
  /// The outermost members that lead to it, at most two.
  public let path: [String]
}

/// A strict JSON parser (RFC 8259): no duplicate keys, no lone surrogates, no invalid UTF-8, bounded depth, integers kept exact.
///
/// Foundation's parser silently accepts duplicate keys, which would let two readers see two different messages.
public struct JSONParser {
  /// The depth to which arrays and objects may be nested.
  public static let depthMax = 64

  private enum Manner { case strict, steppingOver, mending }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let manner: Manner
  private var at = 0
  private var depth = 0
  /// The members that lead to the present place, as far as flaws name them.
  private var names: [String] = []
  /// The first flaw below each member of the outermost object.
  private var flaws: [String: JSONFlaw] = [:]

  private static let flawPathMax = 2

  /// Parses one JSON text. White space around it is allowed.
  public static func parse(_ bytes: some Sequence<UInt8>) throws(JSONParseError) -> JSONValue {
    try parse(bytes, .strict).value
  }

  /// Parses one JSON text and skips parts that cannot be kept, so that the sender can get a list of these parts.
  /// - Returns: the value without the skipped parts, and the first flaw below each member of the outermost object.
  public static func parseSteppingOver(
    _ bytes: some Sequence<UInt8>
  ) throws(JSONParseError) -> (value: JSONValue, flaws: [JSONFlaw]) {
    let (value, flaws) = try parse(bytes, .steppingOver)
    return (value, Array(flaws.values))
  }

  /// Parses one JSON text that contains other people's texts, so that one bad part does not hide the rest. Invalid characters become
  /// U+FFFD, numbers beyond every type and parts that are nested too deeply become `null`, and of equal keys the last counts.
  /// - Returns: the value, and whether any part of it was mended like this.
  public static func parseMending(
    _ bytes: some Sequence<UInt8>
  ) throws(JSONParseError) -> (value: JSONValue, isMended: Bool) {
    let (value, flaws) = try parse(bytes, .mending)
    return (value, !flaws.isEmpty)
  }

  private typealias Outcome = (value: JSONValue, flaws: [String: JSONFlaw])

  private static func parse(_ bytes: some Sequence<UInt8>, _ manner: Manner) throws(JSONParseError) -> Outcome {
    let result: Result<Outcome, JSONParseError>? = bytes.withContiguousStorageIfAvailable { parse(buffer: $0, manner) }
    return try (result ?? Array(bytes).withUnsafeBufferPointer { parse(buffer: $0, manner) }).get()
  }

  /// Parses one JSON text.
  public static func parse(_ text: String) throws(JSONParseError) -> JSONValue { try parse(text.utf8) }

  private static func parse(buffer: UnsafeBufferPointer<UInt8>, _ manner: Manner) -> Result<Outcome, JSONParseError> {
    var parser = JSONParser(bytes: buffer, manner)
    do throws(JSONParseError) {
      parser.skipSpace()
      let value = try parser.value()
      parser.skipSpace()
      guard parser.at == buffer.count else { throw parser.failure(.trailingBytes) }
      return .success((value, parser.flaws))
    } catch {
      return .failure(error)
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, _ manner: Manner) {
    self.bytes = bytes
    self.manner = manner
  }

  /// Continues with a replacement for a part that breaks a rule, if this parser mends.
  private mutating func mend<Part>(
    _ reason: JSONParseError.Reason, as part: Part
  ) throws(JSONParseError) -> Part {
    guard manner == .mending else { throw failure(reason) }
    note(reason, names)
    return part
  }

  private func failure(_ reason: JSONParseError.Reason) -> JSONParseError { JSONParseError(reason: reason, offset: at) }

  private mutating func skipSpace() {
    while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 { at += 1 }
  }

  private mutating func value() throws(JSONParseError) -> JSONValue {
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    switch bytes[at] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if manner != .strict, depth == Self.depthMax {
        note(.tooDeep, names)
        try stepOver()
        return .null
      }
      return bytes[at] == UInt8(ascii: "{") ? try object() : try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    // Python writes these, and some relays are written in Python.
    case UInt8(ascii: "N") where manner == .mending: return try mend(.invalidNumber, as: literal("NaN", .null))
    case UInt8(ascii: "I") where manner == .mending: return try mend(.invalidNumber, as: literal("Infinity", .null))
    default: throw failure(.unexpectedCharacter)
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
    let count = word.utf8CodeUnitCount
    guard at + count <= bytes.count else { throw failure(.unexpectedEnd) }
    for index in 0..<count where bytes[at + index] != word.utf8Start[index] { throw failure(.unexpectedCharacter) }
    at += count
    return value
  }

  private mutating func enter() throws(JSONParseError) {
    depth += 1
    guard depth <= Self.depthMax else { throw failure(.tooDeep) }
    at += 1
    skipSpace()
  }

  /// Whether the container continues after a member: it does after `,` and ends at `close`.
  private mutating func goesOn(until close: UInt8) throws(JSONParseError) -> Bool {
    skipSpace()
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    defer { at += 1 }
    if bytes[at] == close { return false }
    guard bytes[at] == UInt8(ascii: ",") else { throw failure(.unexpectedCharacter) }
    return true
  }

  private mutating func array() throws(JSONParseError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
      at += 1
      return .array([])
    }
    repeat {
      skipSpace()
      elements.append(try value())
    } while try goesOn(until: UInt8(ascii: "]"))
    return .array(elements)
  }

  private mutating func object() throws(JSONParseError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var members: [String: JSONValue] = [:]
    if at < bytes.count, bytes[at] == UInt8(ascii: "}") {
      at += 1
      return .object([:])
    }
    repeat {
      skipSpace()
      let key = try key()
      let isNamed = manner == .steppingOver && depth <= Self.flawPathMax
      if isNamed { names.append(key) }
      let value = try value()
      if isNamed { names.removeLast() }
      if members.updateValue(value, forKey: key) != nil { try meetAgain(key, in: members) }
    } while try goesOn(until: UInt8(ascii: "}"))
    return .object(members)
  }

  /// A key with its colon.
  private mutating func key() throws(JSONParseError) -> String {
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    guard bytes[at] == UInt8(ascii: "\"") else { throw failure(.unexpectedCharacter) }
    let key = try string()
    skipSpace()
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    guard bytes[at] == UInt8(ascii: ":") else { throw failure(.unexpectedCharacter) }
    at += 1
    skipSpace()
    return key
  }

  /// Handles a key that is there already: equal bytes break the rules, and other spellings are reported to the sender as a flaw.
  private mutating func meetAgain(_ key: String, in members: [String: JSONValue]) throws(JSONParseError) {
    guard manner != .mending else { return note(.duplicateKey, names) }
    let known = members.index(forKey: key).map { members.keys[$0] } ?? key
    guard !known.utf8.elementsEqual(key.utf8) else { throw failure(.duplicateKey) }
    guard manner == .steppingOver else { throw failure(.equivalentKeys) }
    note(.equivalentKeys, names + [key])
  }

  private mutating func note(_ reason: JSONParseError.Reason, _ path: [String]) {
    let outermost = path.first ?? ""
    if flaws[outermost] == nil {
      flaws[outermost] = JSONFlaw(reason: reason, path: Array(path.prefix(Self.flawPathMax)))
    }
  }

  /// Skips a value of any depth, without recursion. The value must still be well formed.
  private mutating func stepOver() throws(JSONParseError) {
    // The brackets that close the open containers.
    var open: [UInt8] = []
    repeat {
      skipSpace()
      guard at < bytes.count else { throw failure(.unexpectedEnd) }
      switch bytes[at] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let close = bytes[at] == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
        at += 1
        skipSpace()
        if at < bytes.count, bytes[at] == close {
          at += 1
        } else {
          open.append(close)
          if close == UInt8(ascii: "}") { _ = try key() }
          continue
        }
      default: _ = try value()
      }
      // A value has ended, and perhaps its container with it.
      while let close = open.last {
        if try goesOn(until: close) {
          skipSpace()
          if close == UInt8(ascii: "}") { _ = try key() }
          break
        }
        open.removeLast()
      }
    } while !open.isEmpty
  }

  private mutating func string() throws(JSONParseError) -> String {
    at += 1
    let start = at
    while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"), bytes[at] >= 0x20 { at += 1 }
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    if bytes[at] == UInt8(ascii: "\"") {
      defer { at += 1 }
      return try text(UnsafeBufferPointer(rebasing: bytes[start..<at]))
    }
    var unescaped = Array(bytes[start..<at])
    while true {
      guard at < bytes.count else { throw failure(.unexpectedEnd) }
      var byte = bytes[at]
      if byte < 0x20 { byte = try mend(.invalidString, as: UInt8(ascii: " ")) }
      at += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { try escape(into: &unescaped) } else { unescaped.append(byte) }
    }
    return try unescaped.withUnsafeBufferPointer { (buffer) throws(JSONParseError) in try text(buffer) }
  }

  private mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) throws(JSONParseError) -> String {
    if let text = String(validating: utf8, as: UTF8.self) { return text }
    return try mend(.invalidUTF8, as: String(decoding: utf8, as: UTF8.self))
  }

  private mutating func escape(into unescaped: inout [UInt8]) throws(JSONParseError) {
    guard at < bytes.count else { throw failure(.unexpectedEnd) }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"): unescaped.append(contentsOf: UTF8.encode(try scalar()) ?? .init())
    default: throw failure(.invalidString)
    }
  }

  /// The character of an escape in hexadecimal digits, which may take two of them.
  private mutating func scalar() throws(JSONParseError) -> Unicode.Scalar {
    let unit = try hexUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let afterFirst = at
    if unit < 0xDC00, at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") {
      at += 2
      let low = try hexUnit()
      if (0xDC00..<0xE000).contains(low), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) {
        return scalar
      }
    }
    let half = try mend(.invalidString, as: Unicode.Scalar(0xFFFD as UInt16) ?? " ")
    // The next escape is another character.
    at = afterFirst
    return half
  }

  private mutating func hexUnit() throws(JSONParseError) -> UInt32 {
    guard at + 4 <= bytes.count else { throw failure(.unexpectedEnd) }
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(bytes[at])).hexDigitValue, bytes[at] < 0x80 else {
        throw failure(.invalidString)
      }
      unit = unit << 4 | UInt32(digit)
      at += 1
    }
    return unit
  }

  private mutating func number() throws(JSONParseError) -> JSONValue {
    let start = at
    if bytes[at] == UInt8(ascii: "-") { at += 1 }
    if manner == .mending, at < bytes.count, bytes[at] == UInt8(ascii: "I") {
      return try mend(.invalidNumber, as: literal("Infinity", .null))
    }
    guard at < bytes.count, isDigit(bytes[at]) else { throw failure(.invalidNumber) }
    if bytes[at] == UInt8(ascii: "0") { at += 1 } else { skipDigits() }
    guard at == bytes.count || !isDigit(bytes[at]) else { throw failure(.invalidNumber) }
    var isInteger = true
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      guard at < bytes.count, isDigit(bytes[at]) else { throw failure(.invalidNumber) }
      skipDigits()
    }
    if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      at += 1
      if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
      guard at < bytes.count, isDigit(bytes[at]) else { throw failure(.invalidNumber) }
      skipDigits()
    }
    let text = String(decoding: bytes[start..<at], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else { return try mend(.invalidNumber, as: .null) }
    return .number(double)
  }

  private mutating func skipDigits() { while at < bytes.count, isDigit(bytes[at]) { at += 1 } }
  private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
