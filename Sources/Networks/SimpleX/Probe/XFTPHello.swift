extension ServerHello {
  /// Reads the hello of an XFTP server, the body of its answer. Further parts, of later versions, are ignored.
  init(xftpBody body: [UInt8]) throws(MalformedHello) {
    var reader = try BlockReader(block: body)
    try self.init(start: &reader) { reader, _ throws(MalformedHello) in
      let signedKey = try SignedKey(&reader)
      guard signedKey.chain.count == 2 else {
        throw MalformedHello(reason: "it has \(signedKey.chain.count) certificates, not leaf and authority")
      }
      return signedKey
    }
  }
}
