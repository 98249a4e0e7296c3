/// The version of a core (`versionInfo`).
public struct CoreVersion: Hashable, Sendable, CustomStringConvertible {
  /// The version as the core writes it, such as `7.0.2`.
  public let text: String
  /// The numbers at the start of `text`, if any, and at most four.
  public let numbers: [Int]

  /// - Parameter text: the version as the core writes it. A `v` may precede the numbers.
  public init(_ text: String) {
    self.text = CoreText.bounded(text)
    let start = text.firstIndex { ("0"..."9").contains($0) } ?? text.endIndex
    let digits = text[start...].prefix { ("0"..."9").contains($0) || $0 == "." }
    numbers = digits.split(separator: ".").prefix(4).compactMap { Int($0) }
  }

  /// Whether it is the version with these numbers or a later one. Missing numbers count as 0.
  public func isAtLeast(_ least: Int...) -> Bool {
    for index in 0..<max(least.count, numbers.count) {
      let (own, other) = (index < numbers.count ? numbers[index] : 0, index < least.count ? least[index] : 0)
      if own != other { return own > other }
    }
    return true
  }

  public var description: String { text }
}

extension CoreVersion: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) { self.init(try reader.object("versionInfo").string("version")) }
}
