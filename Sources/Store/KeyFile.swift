internal import Crypto
internal import Foundation
internal import Glibc

/// The file with the master key, `identity.key` in the state directory. While the key changes, the new one stands beside it.
public struct KeyFile: Sendable {
  public let path: String
  private var newPath: String { path + ".new" }

  public init(_ path: String) { self.path = path }

  public var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// The key for what is stored in `store`, which opens all of it. A new key is made only where nothing is sealed yet.
  /// - Throws: `StoreError`; `wrongKey` when the key is missing or another one. Then nothing was written.
  public func box(for store: Store) throws -> SecretBox {
    try settle(store)
    guard try exists || !store.hasSecrets() else {
      throw StoreError(
        .wrongKey,
        "the key file \(path) is missing, and secrets are stored that only its key opens: put the file back from its copy, or hand the "
          + "key over as the credential identity.key")
    }
    let box = try box()
    try store.unlock(box)
    return box
  }

  /// What is in the file; makes one with a new key, readable by its owner only, when it is missing.
  /// - Throws: `StoreError` when the file cannot be made or read, is open to others, or holds no key.
  public func box() throws -> SecretBox {
    if !exists {
      try PrivateFile.write(Self.random(), to: newPath)
      try put()
    }
    return try SecretBox(masterKey: Self.read(path))
  }

  /// The master key that stands in a file, as 32 bytes or 64 hexadecimal digits.
  /// - Parameter isForeign: whether it is somebody else's file, who answers for its permissions.
  static func read(_ path: String, isForeign: Bool = false) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StoreError(.notAccessible, "cannot read the key file \(path)")
    }
    let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue ?? 0
    guard isForeign || mode & 0o077 == 0 else {
      throw StoreError(.notAccessible, "the key file \(path) can be read by others: run chmod 600 on it")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if data.count != 32, text.utf8.count == 64, let bytes = Self.bytes(text) { return bytes }
    return Array(data)
  }

  private static func bytes(_ digits: String) -> [UInt8]? {
    let values = digits.compactMap(\.hexDigitValue)
    guard values.count == digits.utf8.count, digits.utf8.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  // MARK: - Changing the key

  /// Ends a change of the key that was interrupted: the key that opens what is stored stays.
  /// - Throws: `StoreError`; `wrongKey` when neither does. Then both stay.
  public func settle(_ store: Store) throws {
    guard FileManager.default.fileExists(atPath: newPath) else { return }
    if exists, try store.opens(try box()) {
      unlink(newPath)
      return
    }
    // One that was written half can open nothing.
    guard let new = try? SecretBox(masterKey: Self.read(newPath)), try store.opens(new) else {
      if try !store.hasSecrets() {
        unlink(newPath)
        return
      }
      throw StoreError(.wrongKey, "neither \(path) nor \(newPath) opens what is stored: it was stored with another key")
    }
    try put()
  }

  /// Writes a new key beside the old one. `put` brings it into force.
  func prepare() throws -> SecretBox {
    let bytes = Self.random()
    try PrivateFile.write(bytes, to: newPath)
    return try SecretBox(masterKey: bytes)
  }

  /// Removes a new key that nothing was sealed with.
  func dropNew() { unlink(newPath) }

  /// Puts the new key in the place of the old one.
  func put() throws {
    try PrivateFile.rename(newPath, to: path)
  }

  private static func random() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
}
