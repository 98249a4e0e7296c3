/// Something that must never happen (DESIGN §12) and did.
struct Violation: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
