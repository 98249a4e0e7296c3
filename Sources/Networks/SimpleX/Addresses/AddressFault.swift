/// An error in an address and its place, before it becomes an `InvalidAddress`.
///
/// No reason quotes text before an `@`, because it may be a password.
struct AddressFault: Error {
  let reason: String
  /// The index of the byte. It equals the number of characters before it, because only ASCII gets as far as the parsers.
  let position: Int?

  init(_ reason: String, at position: Int?) {
    self.reason = reason
    self.position = position
  }
}
