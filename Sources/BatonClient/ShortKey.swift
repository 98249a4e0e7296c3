/// Keys in a form that fits into a line.
package enum ShortKey {
  /// How many characters of each end are shown. Someone who wants a key with the same ends has to try 2^64 keys.
  private static let end = 8

  /// The beginning and the end of a key, or all of a key that is hardly longer.
  package static func text(_ key: String) -> String {
    key.count > 2 * end + 4 ? "\(key.prefix(end))…\(key.suffix(end))" : key
  }
}
