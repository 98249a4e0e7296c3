internal import Channels
internal import Storage

/// An index on a key of channels' custom data, as the configuration declares it: by the rank of its value in `JSONOrder`, then by the
/// value.
///
/// SQLite uses it where a statement has the same expressions, letter by letter except for the table's name, so the path is in them and is
/// not bound. Custom data that is not valid JSON counts as absent here: it is damaged, which checksums show.
struct KeyIndex: Hashable, Sendable {
  /// The path of names below the custom data.
  let names: [String]
  /// SQL for the rank of the value, in a statement on `channels c`. Never NULL.
  let rank: String
  /// SQL for the value, in a statement on `channels c`. NULL exactly where the rank means absent.
  let value: String

  private static let prefix = "channels_by_custom."

  /// - Parameter key: names with dots between them, as in a filter after `custom.`.
  /// - Returns: `nil` if that is not the key of a field that storage supports.
  init?(_ key: String) {
    guard case .custom(let names)? = ChannelField(customKey: key) else { return nil }
    self.names = names
    (rank, value) = Self.terms("c.custom", ChannelColumn.jsonPath(names))
  }

  var key: String { names.joined(separator: ".") }

  /// The name of the index in the database. SQLite ignores case there, but keys may differ in case only.
  var name: String { Self.prefix + key.map { $0.isUppercase || $0 == "^" ? "^\($0)" : "\($0)" }.joined() }

  /// The name as a statement quotes it. A key contains no quotes.
  var quotedName: String { "\"\(name)\"" }

  /// The statement that makes the index, as SQLite keeps it.
  var creation: String {
    let terms = Self.terms("custom", ChannelColumn.jsonPath(names))
    return "CREATE INDEX \(quotedName) ON channels (\(terms.rank), \(terms.value))"
  }

  /// The key of an index with this name in the database, or `nil` if it is not on a key of custom data.
  static func key(ofIndex name: String) -> String? {
    name.hasPrefix(prefix) ? name.dropFirst(prefix.count).replacing(/\^(.)/) { $0.1 }.description : nil
  }

  private static func terms(_ column: String, _ path: String) -> (rank: String, value: String) {
    let path = "'" + path.replacing("'", with: "''") + "'"
    func sound(_ function: String) -> String { "CASE WHEN json_valid(\(column)) THEN \(function)(\(column), \(path)) END" }
    let ranks = """
      WHEN 'true' THEN 1 WHEN 'false' THEN 1 WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 \
      WHEN 'array' THEN 4 WHEN 'object' THEN 4 ELSE 0
      """
    return ("(CASE \(sound("json_type")) \(ranks) END)", "(\(sound("json_extract")))")
  }
}
