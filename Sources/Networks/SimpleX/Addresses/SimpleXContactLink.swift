public import RelayNetwork

/// A full contact link: `https://simplex.chat/contact#/?v=..&smp=..[&data=..]`, or the same after `simplex:/`
/// (docs/design/simplex.md#addresses-and-links).
public struct SimpleXContactLink: Hashable, Sendable {
  /// A version of the protocol or a range of them, such as `2-7`.
  public let version: String
  /// The server of the first queue.
  public let server: ServerAddress
  /// The opaque text after the server in the list of queues, from `/` on.
  public let queues: String
  /// The data that the client that made the link put into it: JSON by convention, opaque here and never trusted.
  public let data: String?
  /// The hosts of `server`.
  public let hosts: [SimpleXHost]

  /// The index at which the path starts, if the link has the host of full links or no host.
  static func path(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.end(ofPrefix: "https://simplex.chat/") ?? bytes.end(ofPrefix: "simplex:/")
  }

  /// - Parameter bytes: the bytes after `contact`.
  init(_ bytes: ArraySlice<UInt8>) throws(AddressFault) {
    var rest = bytes
    if rest.first == UInt8(ascii: "/") { rest.removeFirst() }
    guard let start = rest.end(ofPrefix: "#/?") ?? rest.end(ofPrefix: "#?") else {
      throw AddressFault("#/? and the parameters must follow the word contact", at: rest.startIndex)
    }
    let query = try LinkQuery(bytes[start...], names: ["v", "smp", "data"])
    guard let version = query["v"] else { throw AddressFault("the parameter v is missing", at: bytes.endIndex) }
    guard let smp = query["smp"] else { throw AddressFault("the parameter smp is missing", at: bytes.endIndex) }
    self.version = try version.read(Self.version)
    (server, hosts, queues) = try smp.read(Self.queues)
    data = try query["data"]?.read(Self.text)
  }

  private static func version(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    let numbers = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let areNumbers = numbers.allSatisfy { number in
      (1...5).contains(number.count) && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard numbers.count <= 2, areNumbers else { throw AddressFault("the version must be a number or two with a '-'", at: 0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func queues(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> (ServerAddress, [SimpleXHost], String) {
    guard let start = bytes.end(ofPrefix: "smp://") else { throw AddressFault("a queue must start with smp://", at: 0) }
    guard let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else {
      throw AddressFault("the queue's id is missing", at: bytes.endIndex)
    }
    let (server, hosts) = try SimpleXServerAddress.parse(bytes: bytes[..<slash])
    guard server.password == nil else { throw AddressFault("a queue may not hold the password of its server", at: start) }
    return (server, hosts, try text(bytes[slash...]))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(AddressFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AddressFault("the parameter is not UTF-8 text", at: bytes.startIndex)
    }
    return text
  }

  /// The normal form.
  public var text: String {
    let ending = data.map { "&data=" + LinkQuery.encode($0) } ?? ""
    return "https://simplex.chat/contact#/?v=\(version)&smp=\(LinkQuery.encode(server.text + queues))\(ending)"
  }

  var comparisonKey: String { "contact \(server.text)\(queues)" }
}
