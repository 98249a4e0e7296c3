extension Unicode.Scalar {
  /// The code point in the notation of Unicode: `U+00B2`.
  public var notation: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
