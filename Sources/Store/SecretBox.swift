internal import Crypto
internal import Foundation
internal import Glibc

/// Encrypts identity keys with a master key that never enters the database (AES-GCM).
public struct SecretBox: Sendable, CustomStringConvertible {
  private let key: SymmetricKey

  /// - Parameter masterKey: 32 bytes.
  /// - Throws: `StoreError.wrongKey` for any other length.
  public init(masterKey: [UInt8]) throws {
    guard masterKey.count == 32 else {
      throw StoreError(.wrongKey, "the master key has \(masterKey.count) bytes, it must have 32")
    }
    key = SymmetricKey(data: masterKey)
  }

  /// The box whose master key stands in `path`; makes the file, readable by its owner only, when it is missing.
  /// - Throws: `StoreError` when the file cannot be made or read, is open to others, or has not 32 bytes.
  public static func atFile(_ path: String) throws -> SecretBox {
    let manager = FileManager.default
    if !manager.fileExists(atPath: path) {
      let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
      // Written beside and moved into place, with its final permissions from the start: a crash leaves no half a key.
      let new = path + ".new"
      unlink(new)
      let descriptor = Glibc.open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else {
        throw StoreError(.notAccessible, "cannot make the key file \(path): \(String(cString: strerror(errno)))")
      }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      do {
        try handle.write(contentsOf: bytes)
        try handle.synchronize()
        guard rename(new, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let directory = Glibc.open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(directory)
        Glibc.close(directory)
      } catch {
        throw StoreError(.notAccessible, "cannot write the key file \(path): \(error.localizedDescription)")
      }
    }
    guard let data = manager.contents(atPath: path) else {
      throw StoreError(.notAccessible, "cannot read the key file \(path)")
    }
    let mode = (try? manager.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue ?? 0
    guard mode & 0o077 == 0 else {
      throw StoreError(.notAccessible, "the key file \(path) can be read by others: run chmod 600 on it")
    }
    return try SecretBox(masterKey: Array(data))
  }

  /// Encrypts `secret`; `name` is bound to it, so that a sealed key cannot be moved to another identity.
  public func seal(_ secret: [UInt8], name: String) throws -> [UInt8] {
    guard let sealed = try AES.GCM.seal(secret, using: key, authenticating: Array(name.utf8)).combined else {
      throw StoreError(.wrongKey, "the key cannot be sealed")
    }
    return Array(sealed)
  }

  /// Tells whether two secrets are one without giving either away: a keyed digest, bound to `name`.
  public func digest(_ secret: [UInt8], name: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(name.utf8) + [0] + secret, using: key)
    return code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Decrypts what `seal` made for the same `name`.
  /// - Throws: `StoreError.wrongKey` when the master key is another one or the bytes were changed.
  public func open(_ sealed: [UInt8], name: String) throws -> [UInt8] {
    do {
      return Array(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Array(name.utf8)))
    } catch {
      throw StoreError(.wrongKey, "the key of identity '\(name)' does not open with this master key")
    }
  }

  public var description: String { "SecretBox" }
}
