/// Keys in a form that fits into a line.
package enum ShortKey {
  /// How much of each end is shown. Someone who wants a key with the same ends has to try 2^64 of them.
  private static let end = 8

  /// The beginning and the end of a key; all of one that is hardly longer.
  package static func text(_ key: String) -> String {
    key.count > 2 * end + 4 ? "\(key.prefix(end))…\(key.suffix(end))" : key
  }
}
