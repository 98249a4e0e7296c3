/// A server's first message: its protocol versions, and the proof that this connection ends at the server itself.
struct ServerHello: Hashable, Sendable {
  /// The server's certificates again, and a key that the server signed.
  struct SignedKey: Hashable, Sendable {
    /// The certificates in DER, the leaf first, and at most `PeerCertificates.keptMax`.
    let chain: [[UInt8]]
    /// The key in DER, with its signature.
    let key: [UInt8]
  }

  let versions: ClosedRange<Int>
  /// The session id, which ties the hello to one TLS connection.
  let sessionID: [UInt8]
  let signedKey: SignedKey?
}

extension ServerHello {
  /// The first version of SMP in which servers sign a key.
  private static let signedSince = 7

  /// Reads the hello of an SMP server. Further parts, of later versions, are ignored.
  init(smpBlock block: [UInt8]) throws(MalformedHello) {
    var reader = try BlockReader(block: block)
    try self.init(start: &reader) { reader, versions throws(MalformedHello) in
      versions.upperBound < Self.signedSince || reader.isAtEnd ? nil : try SignedKey(&reader)
    }
  }

  /// Reads versions and session, which all hellos start with, and leaves the rest to `end`.
  init(
    start reader: inout BlockReader,
    end: (inout BlockReader, ClosedRange<Int>) throws(MalformedHello) -> SignedKey?
  ) throws(MalformedHello) {
    let low = try Int(reader.number("lowest version"))
    let high = try Int(reader.number("highest version"))
    guard low <= high else { throw MalformedHello(reason: "the versions \(low) to \(high) are not a range") }
    let count = try Int(reader.byte("session"))
    versions = low...high
    sessionID = try reader.bytes(count, "session")
    signedKey = try end(&reader, versions)
  }
}

extension ServerHello.SignedKey {
  init(_ reader: inout BlockReader) throws(MalformedHello) {
    let count = try Int(reader.byte("certificates"))
    guard (1...PeerCertificates.keptMax).contains(count) else {
      throw MalformedHello(reason: "it has \(count) certificates")
    }
    var chain: [[UInt8]] = []
    for position in 1...count {
      let length = try Int(reader.number("certificate \(position)"))
      chain.append(try reader.bytes(length, "certificate \(position)"))
    }
    self.chain = chain
    let length = try Int(reader.number("signed key"))
    key = try reader.bytes(length, "signed key")
  }
}
