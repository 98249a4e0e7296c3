internal import COpenSSL
public import Secrets

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D), with a random nonce for each message.
public enum AESGCM {
  /// The number of bytes in a key.
  public static let keyBytes = 32
  private static let nonceBytes = 12
  private static let tagBytes = 16

  /// Encrypts `secret` and authenticates it together with `label`.
  /// - Parameter key: has `keyBytes` bytes.
  /// - Returns: the nonce, the encrypted bytes and the tag, in this order.
  public static func seal(_ secret: Secret, label: [UInt8], key: Secret) -> [UInt8] {
    seal(secret, label: label, key: key, nonce: SystemRandom.bytes(nonceBytes))
  }

  /// - Parameter nonce: has 12 bytes, and was never used with this key before.
  static func seal(_ secret: Secret, label: [UInt8], key: Secret, nonce: [UInt8]) -> [UInt8] {
    var message = Message(key: key, nonce: nonce, label: label, isSealing: true)
    let encrypted = [UInt8](unsafeUninitializedCapacity: secret.count) { encrypted, count in
      secret.withUnsafeBytes { message.convert($0, into: UnsafeMutableRawBufferPointer(encrypted)) }
      count = secret.count
    }
    return nonce + encrypted + message.tag()
  }

  /// Decrypts the result of `seal`.
  /// - Parameter key: has `keyBytes` bytes.
  /// - Returns: `nil` if another key or another label was used, or if any byte changed.
  public static func open(_ sealed: [UInt8], label: [UInt8], key: Secret) -> Secret? {
    guard sealed.count >= nonceBytes + tagBytes else { return nil }
    var message = Message(key: key, nonce: Array(sealed.prefix(nonceBytes)), label: label, isSealing: false)
    let encrypted = sealed.dropFirst(nonceBytes).dropLast(tagBytes)
    let opened = Secret(count: encrypted.count) { opened in
      encrypted.withUnsafeBytes { message.convert($0, into: opened) }
    }
    return message.isAuthentic(tag: Array(sealed.suffix(tagBytes))) ? opened : nil
  }

  /// One message on its way through OpenSSL, which overwrites its copy of the key when it is freed.
  private struct Message: ~Copyable {
    private let context: OpaquePointer

    init(key: Secret, nonce: [UInt8], label: [UInt8], isSealing: Bool) {
      precondition(key.count == keyBytes && nonce.count == nonceBytes, "AES-256-GCM has keys of 32 bytes and nonces of 12")
      OpenSSL.prepared
      guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
      self.context = context
      key.withUnsafeBytes { key in
        let key = key.assumingMemoryBound(to: UInt8.self).baseAddress
        Self.check(EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), key, nonce, isSealing ? 1 : 0, nil))
      }
      guard !label.isEmpty else { return }
      var count: CInt = 0
      Self.check(EVP_CipherUpdate(context, nil, &count, label, CInt(label.count)))
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts or decrypts all bytes of the message. Counter mode gives as many bytes as it gets.
    mutating func convert(_ bytes: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer) {
      guard !bytes.isEmpty else { return }
      var count: CInt = 0
      Self.check(
        EVP_CipherUpdate(
          context, result.assumingMemoryBound(to: UInt8.self).baseAddress, &count,
          bytes.assumingMemoryBound(to: UInt8.self).baseAddress, CInt(bytes.count)))
      precondition(Int(count) == bytes.count, "OpenSSL encrypts half a secret")
    }

    /// The tag of a message that was encrypted.
    mutating func tag() -> [UInt8] {
      var (none, count): (UInt8, CInt) = (0, 0)
      Self.check(EVP_CipherFinal_ex(context, &none, &count))
      return [UInt8](unsafeUninitializedCapacity: tagBytes) { tag, count in
        Self.check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(tagBytes), tag.baseAddress))
        count = tagBytes
      }
    }

    /// Whether `tag` is the tag of the message that was decrypted.
    mutating func isAuthentic(tag: [UInt8]) -> Bool {
      var tag = tag
      Self.check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), &tag))
      var (none, count): (UInt8, CInt) = (0, 0)
      return EVP_CipherFinal_ex(context, &none, &count) == 1
    }

    /// Everything but a wrong tag fails only where memory does.
    private static func check(_ status: CInt) { precondition(status == 1, "OpenSSL does not encrypt") }
  }
}
