/// `host,host:port`: the part of an address with the location of the server.
struct HostList {
  /// The hosts, at least one.
  let hosts: [SimpleXHost]
  let port: Int?

  /// - Parameter portReason: why no port is allowed here, or `nil` if one is.
  init(_ bytes: ArraySlice<UInt8>, portReason: String? = nil) throws(AddressFault) {
    var hosts: [SimpleXHost] = []
    var port: Int?
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let colon = Self.portColon(in: part)
      if let colon, let portReason { throw AddressFault(portReason, at: colon) }
      if let colon, part.endIndex < bytes.endIndex { throw AddressFault("the port must stand after the last host", at: colon) }
      hosts.append(try SimpleXHost(bytes: part[..<(colon ?? part.endIndex)]))
      port = try colon.map { colon throws(AddressFault) in try Self.port(part[(colon + 1)...]) }
    }
    (self.hosts, self.port) = (hosts, port)
  }

  /// Two colons without brackets mean an IPv6 address, in which a port cannot be told from the last group.
  private static func portColon(in part: ArraySlice<UInt8>) -> Int? {
    let colon = UInt8(ascii: ":")
    if part.first == UInt8(ascii: "[") {
      guard let bracket = part.firstIndex(of: UInt8(ascii: "]")), bracket + 1 < part.endIndex, part[bracket + 1] == colon else {
        return nil
      }
      return bracket + 1
    }
    guard let first = part.firstIndex(of: colon), !part[(first + 1)...].contains(colon) else { return nil }
    return first
  }

  /// Reads the number of a port.
  static func port(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> Int {
    guard (1...5).contains(bytes.count), bytes.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let port = Int(String(decoding: bytes, as: UTF8.self)), (1...65_535).contains(port)
    else { throw AddressFault("the port must be a number from 1 to 65535", at: bytes.startIndex) }
    return port
  }
}
