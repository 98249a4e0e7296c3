/// An IPv6 address, read by RFC 4291 §2.2 and written by RFC 5952, so that one address has one text.
struct IPv6Address: Hashable {
  /// Eight groups of 16 bits.
  private let groups: [UInt16]

  /// - Returns: nil when `text` is no IPv6 address. A zone (`%eth0`) makes sense on one machine only and is refused.
  init?(_ text: some StringProtocol) {
    guard let gap = text.firstRange(of: "::") else {
      guard let groups = Self.groups(text), groups.count == 8 else { return nil }
      self.groups = groups
      return
    }
    // An IPv4 address can only stand at the end.
    let head = text[..<gap.lowerBound]
    guard !head.contains("."), let before = Self.groups(head), let after = Self.groups(text[gap.upperBound...]),
      before.count + after.count <= 7
    else { return nil }
    groups = before + Array(repeating: 0, count: 8 - before.count - after.count) + after
  }

  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(".") {
        guard let bytes = IPv4Address(part)?.bytes else { return nil }
        groups.append(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        groups.append(UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
      } else {
        guard (1...4).contains(part.count), part.allSatisfy({ $0.isASCII && $0.isHexDigit }),
          let group = UInt16(part, radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups
  }

  var text: String {
    // Addresses that stand for an IPv4 address show it (RFC 5952 §5).
    if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
      return "::ffff:\(groups[6] >> 8).\(groups[6] & 0xFF).\(groups[7] >> 8).\(groups[7] & 0xFF)"
    }
    let zeros = longestZeros
    guard zeros.count > 1 else { return Self.text(groups[...]) }
    return Self.text(groups[..<zeros.lowerBound]) + "::" + Self.text(groups[zeros.upperBound...])
  }

  private static func text(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// The first of the longest runs of zero groups.
  private var longestZeros: Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest
  }
}
