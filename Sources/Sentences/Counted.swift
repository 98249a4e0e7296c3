/// Returns a number with its noun, for example `1 relay` or `2 relays`.
/// - Parameters:
///   - number: the number. Only 1 uses the singular.
///   - noun: the noun in the singular. Its plural must end in s.
public func counted(_ number: some BinaryInteger, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
