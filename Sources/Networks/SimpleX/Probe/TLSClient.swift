internal import CTLSClient
internal import NIOCore

/// The results of a complete handshake.
struct TLSSession: Hashable, Sendable {
  /// The certificates that the peer sent, in DER, the leaf first, and at most `PeerCertificates.keptMax`.
  let chain: [[UInt8]]
  /// How many certificates the peer sent.
  let chainCount: Int
  /// The protocol that the peer chose, if any.
  let applicationProtocol: String?
  /// The TLS version for people: `TLSv1.3`.
  let version: String
  /// This side's own Finished message, "tls-unique": the same on both ends of one connection, and on no other.
  let finished: [UInt8]
}

/// The fault of a TLS connection, in the TLS library's words.
struct TLSFailure: Error, Hashable, Sendable {
  let reason: String
}

/// The client's end of a TLS connection, without a socket. It belongs to one event loop.
///
/// The TLS library of swift-nio does not support Ed448, which older servers have in their certificates, so this type uses OpenSSL.
final class TLSClient {
  private let client: OpaquePointer
  /// The largest number of bytes in one record.
  private static let chunkBytes = 16_384

  /// - Parameter applicationProtocol: the protocol that is offered.
  init(applicationProtocol: String) throws(TLSFailure) {
    var text = [CChar](repeating: 0, count: Int(CTLS_TEXT_BYTES))
    guard let client = ctls_client_create(applicationProtocol, &text) else { throw TLSFailure(reason: String(cText: text)) }
    self.client = client
  }

  deinit { ctls_client_free(client) }

  private var failure: TLSFailure { TLSFailure(reason: String(cString: ctls_client_error(client))) }

  /// Adds bytes from the peer.
  func feed(_ bytes: ByteBuffer) throws(TLSFailure) {
    let isTaken = bytes.withUnsafeReadableBytes { bytes in
      guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return true }
      return ctls_client_feed(client, start, bytes.count) != 0
    }
    guard isTaken else { throw failure }
  }

  /// Returns and removes the bytes to send to the peer, if any.
  func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
    var output = allocator.buffer(capacity: 0)
    var count = 0
    repeat {
      count = output.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.chunkBytes) { free in
        guard let start = free.assumingMemoryBound(to: UInt8.self).baseAddress else { return 0 }
        return ctls_client_take_output(client, start, free.count)
      }
    } while count > 0
    return output.readableBytes > 0 ? output : nil
  }

  /// Drives the handshake as far as the bytes allow.
  /// - Returns: `nil` if bytes are missing.
  func handshake() throws(TLSFailure) -> TLSSession? {
    switch ctls_client_handshake(client) {
    case CTLS_DONE: return session
    case CTLS_AGAIN: return nil
    case CTLS_CLOSED: throw TLSFailure(reason: "the server closed the connection")
    default: throw failure
    }
  }

  private var session: TLSSession {
    let count = ctls_client_certificate_count(client)
    let chain = (0..<min(count, Int(CTLS_CERTIFICATES_MAX))).compactMap { index -> [UInt8]? in
      var length = 0
      return ctls_client_certificate(client, index, &length).map { [UInt8](UnsafeBufferPointer(start: $0, count: length)) }
    }
    let chosen = [UInt8](unsafeUninitializedCapacity: 255) { buffer, count in
      count = buffer.baseAddress.map { ctls_client_application_protocol(client, $0, 255) } ?? 0
    }
    let finished = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = buffer.baseAddress.map { ctls_client_finished(client, $0, 64) } ?? 0
    }
    return TLSSession(
      chain: chain, chainCount: count, applicationProtocol: chosen.isEmpty ? nil : String(decoding: chosen, as: UTF8.self),
      version: String(cString: ctls_client_version(client)), finished: finished)
  }

  enum Reading {
    case bytes(ByteBuffer)
    case needsMore
    case closed
  }

  /// Decrypts the next record.
  func read(_ allocator: ByteBufferAllocator) throws(TLSFailure) -> Reading {
    var buffer = allocator.buffer(capacity: Self.chunkBytes)
    var result = CTLS_FAILED
    _ = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.chunkBytes) { free in
      guard let start = free.assumingMemoryBound(to: UInt8.self).baseAddress else { return 0 }
      var count = 0
      result = ctls_client_read(client, start, free.count, &count)
      return count
    }
    switch result {
    case CTLS_DONE: return .bytes(buffer)
    case CTLS_AGAIN: return .needsMore
    case CTLS_CLOSED: return .closed
    default: throw failure
    }
  }

  /// Encrypts bytes. The result waits as output.
  func write(_ bytes: ByteBuffer) throws(TLSFailure) {
    let result = bytes.withUnsafeReadableBytes { bytes in
      guard let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return CTLS_DONE }
      return ctls_client_write(client, start, bytes.count)
    }
    guard result == CTLS_DONE else { throw failure }
  }

  /// Ends the TLS session. The closing message waits as output.
  func shutdown() { ctls_client_shutdown(client) }
}

extension String {
  /// A text that ends with a zero.
  init(cText: [CChar]) {
    self.init(decoding: cText.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
