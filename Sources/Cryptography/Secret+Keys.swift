internal import COpenSSL
public import Secrets

extension Secret {
  /// HMAC (RFC 2104) with SHA-256, with this secret as the key.
  public func authenticationCode(for bytes: [UInt8]) -> [UInt8] {
    OpenSSL.prepared
    return withUnsafeBytes { key in
      [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
        let result = HMAC(EVP_sha256(), key.baseAddress, CInt(key.count), bytes, bytes.count, code.baseAddress, nil)
        precondition(result != nil, "OpenSSL computes no HMAC")
        count = SHA256.byteCount
      }
    }
  }

  /// A key that HKDF with SHA-256 (RFC 5869) derives from this secret.
  /// - Parameters:
  ///   - salt: may be empty.
  ///   - info: the purpose of the key. Another purpose gives another key.
  ///   - count: how many bytes the key has, at most 8,160.
  public func derivedKey(salt: [UInt8] = [], info: [UInt8], count: Int) -> Secret {
    OpenSSL.prepared
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var steps = [EVP_PKEY_derive_init(context), EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256())]
    steps.append(
      withUnsafeBytes {
        EVP_PKEY_CTX_set1_hkdf_key(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt($0.count))
      })
    if !salt.isEmpty { steps.append(EVP_PKEY_CTX_set1_hkdf_salt(context, salt, CInt(salt.count))) }
    if !info.isEmpty { steps.append(EVP_PKEY_CTX_add1_hkdf_info(context, info, CInt(info.count))) }
    return Secret(count: count) { derived in
      var length = count
      steps.append(EVP_PKEY_derive(context, derived.assumingMemoryBound(to: UInt8.self).baseAddress, &length))
      precondition(steps.allSatisfy { $0 > 0 } && length == count, "OpenSSL derives no key")
    }
  }
}
