extension Dictionary {
  /// Adds an entry that can be found out again at any time. If there are too many entries, all others are forgotten.
  /// - Parameter max: the number of entries that are kept at most.
  mutating func remember(_ value: Value, for key: Key, max: Int) {
    if count >= max, self[key] == nil { self = [:] }
    self[key] = value
  }
}
