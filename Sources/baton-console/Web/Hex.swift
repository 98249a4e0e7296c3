internal import Cryptography
internal import Secrets

/// Hexadecimal digits.
enum Hex {
  /// Digits that no one guesses.
  static func random(bytes count: Int) -> String {
    SystemRandom.bytes(count).hexadecimal
  }
}
