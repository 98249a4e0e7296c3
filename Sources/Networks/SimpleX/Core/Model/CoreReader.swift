internal import StrictJSON

/// A value that can be read from a JSON object of the core. Unknown members are not an error.
protocol CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError)
}

/// Reads a JSON object of the core member by member, and keeps its place in the message.
struct CoreReader {
  let members: [String: JSONValue]
  let path: [String]

  /// - Throws: `CoreShapeError` if `value` is not an object.
  init(_ value: JSONValue, at path: [String] = []) throws(CoreShapeError) {
    guard let members = value.object else { throw CoreShapeError(path: path, reason: "must be an object") }
    self.members = members
    self.path = path
  }

  /// A fault at the member `key`.
  func fault(_ key: String, _ reason: String) -> CoreShapeError { CoreShapeError(path: path + [key], reason: reason) }

  /// The member `key`, or `nil` if it is missing. The core leaves out empty members, other programs write null.
  func value(_ key: String) -> JSONValue? {
    guard let value = members[key], value != .null else { return nil }
    return value
  }

  private func required(_ key: String) throws(CoreShapeError) -> JSONValue {
    guard let value = value(key) else { throw fault(key, "is missing") }
    return value
  }

  func string(_ key: String) throws(CoreShapeError) -> String {
    guard let string = try required(key).string else { throw fault(key, "must be a string") }
    return string
  }

  func bool(_ key: String) throws(CoreShapeError) -> Bool {
    guard let bool = try required(key).bool else { throw fault(key, "must be true or false") }
    return bool
  }

  /// An integer. Some come as strings.
  func integer(_ key: String) throws(CoreShapeError) -> Int64 {
    let integer: Int64? =
      switch try required(key) {
      case .integer(let integer): integer
      case .number(let number): Int64(exactly: number)
      case .string(let text): text.first == "+" ? nil : Int64(text)
      case .null, .bool, .array, .object: nil
      }
    guard let integer else { throw fault(key, "must be an integer") }
    return integer
  }

  func stringIfPresent(_ key: String) throws(CoreShapeError) -> String? { value(key) == nil ? nil : try string(key) }

  /// The string at `key`. More than `bytesMax` bytes are an error.
  func stringIfPresent(_ key: String, bytesMax: Int) throws(CoreShapeError) -> String? {
    guard let text = try stringIfPresent(key) else { return nil }
    guard text.utf8.count <= bytesMax else { throw fault(key, "must have at most \(bytesMax) bytes") }
    return text
  }

  func boolIfPresent(_ key: String) throws(CoreShapeError) -> Bool? { value(key) == nil ? nil : try bool(key) }
  func integerIfPresent(_ key: String) throws(CoreShapeError) -> Int64? { value(key) == nil ? nil : try integer(key) }

  /// The object at `key`.
  func object(_ key: String) throws(CoreShapeError) -> CoreReader { try CoreReader(try required(key), at: path + [key]) }

  func objectIfPresent(_ key: String) throws(CoreShapeError) -> CoreReader? { value(key) == nil ? nil : try object(key) }

  /// The value of the object at `key`.
  func read<Thing: CoreReadable>(_ key: String, as type: Thing.Type = Thing.self) throws(CoreShapeError) -> Thing {
    try Thing(try object(key))
  }

  func readIfPresent<Thing: CoreReadable>(_ key: String, as type: Thing.Type = Thing.self) throws(CoreShapeError) -> Thing? {
    value(key) == nil ? nil : try read(key)
  }

  /// The values of the objects in the list at `key`. More than `limit` are an error.
  func list<Thing: CoreReadable>(_ key: String, of type: Thing.Type = Thing.self, atMost limit: Int = .max)
    throws(CoreShapeError) -> [Thing]
  {
    var things: [Thing] = []
    let elements = try elements(key)
    guard elements.count <= limit else { throw fault(key, "must have at most \(limit) elements") }
    for (index, element) in elements.enumerated() {
      things.append(try Thing(try CoreReader(element, at: path + [key, String(index)])))
    }
    return things
  }

  /// The same, or `nil` if the list is missing.
  func listIfPresent<Thing: CoreReadable>(_ key: String, of type: Thing.Type = Thing.self, atMost limit: Int)
    throws(CoreShapeError) -> [Thing]?
  {
    value(key) == nil ? nil : try list(key, atMost: limit)
  }

  /// The readable values of the list at `key`. Other people write them, so an unreadable one must not spoil the rest.
  func readableList<Thing: CoreReadable>(_ key: String, of type: Thing.Type = Thing.self, atMost limit: Int)
    throws(CoreShapeError) -> [Thing]
  {
    let elements = try elements(key)
    guard elements.count <= limit else { throw fault(key, "must have at most \(limit) elements") }
    return elements.compactMap { element in try? Thing(try CoreReader(element)) }
  }

  /// The strings in the list at `key`.
  func strings(_ key: String) throws(CoreShapeError) -> [String] {
    var strings: [String] = []
    for (index, element) in try elements(key).enumerated() {
      guard let string = element.string else {
        throw CoreShapeError(path: path + [key, String(index)], reason: "must be a string")
      }
      strings.append(string)
    }
    return strings
  }

  private func elements(_ key: String) throws(CoreShapeError) -> [JSONValue] {
    guard let elements = try required(key).array else { throw fault(key, "must be a list") }
    return elements
  }
}
