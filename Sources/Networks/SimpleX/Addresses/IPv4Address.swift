/// An IPv4 address in four decimal parts. Other spellings (`127.1`, `0x7f000001`, `010.0.0.1`) are read differently by different
/// programs and are refused.
struct IPv4Address {
  let bytes: [UInt8]

  /// - Returns: nil when `text` is no IPv4 address.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy({ $0.isASCII && $0.isNumber }), part == "0" || !part.hasPrefix("0"),
        let byte = UInt8(part)
      else { return nil }
      bytes.append(byte)
    }
    self.bytes = bytes
  }
}
