/// What is wrong in an address and where, before it becomes an `InvalidAddress`.
///
/// No reason quotes what stands before an `@`: it may be a password.
struct AddressFault: Error {
  let reason: String
  /// Index of the byte; it equals the number of characters before it, because only ASCII gets as far as the parsers.
  let position: Int?

  init(_ reason: String, at position: Int?) {
    self.reason = reason
    self.position = position
  }
}
