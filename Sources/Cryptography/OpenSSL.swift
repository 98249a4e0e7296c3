internal import COpenSSL

enum OpenSSL {
  /// By default the library frees its resources when a process ends, while other threads may still use it
  /// (docs/decisions/0048-programs-end-at-once.md).
  static let prepared: Void = { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }()
}
