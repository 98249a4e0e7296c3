/// Hexadecimal digits.
enum Hex {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Digits that nobody guesses.
  static func random(bytes count: Int) -> String {
    var source = SystemRandomNumberGenerator()
    return text((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) })
  }
}
