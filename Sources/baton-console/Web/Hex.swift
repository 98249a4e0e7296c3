internal import Cryptography
internal import Secrets

/// Hexadecimal digits.
enum Hex {
  /// Digits that no one can guess.
  static func random(bytes count: Int) -> String {
    SystemRandom.bytes(count).hexadecimal
  }
}
