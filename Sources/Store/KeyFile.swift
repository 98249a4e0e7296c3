internal import Cryptography
internal import Foundation
internal import Glibc
internal import Secrets
public import Storage

/// The file with the master key, `identity.key` in the state directory. While the key changes, the new one is kept next to it.
public struct KeyFile: Sendable {
  public let path: String
  private var newPath: String { path + ".new" }
  /// Larger files contain no key.
  private static let bytesMax = 4096

  public init(_ path: String) { self.path = path }

  public var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// The key for the secrets in `store`, which opens all of them. A new key is made only where nothing is sealed yet.
  /// - Throws: `StoreError`, with `wrongKey` when the key is missing or a different one. Then nothing was written.
  public func box(for store: Store) throws -> SecretBox {
    try settle(store)
    guard try exists || !store.hasSecrets() else {
      throw StoreError(
        .wrongKey,
        "the key file \(path) is missing, and the stored secrets need its key. Put the file back from its copy, or provide the key as "
          + "the credential identity.key")
    }
    let box = try box()
    try store.unlock(box)
    return box
  }

  /// The content of the file. If it is missing, creates one with a new key that only its owner can read.
  /// - Throws: `StoreError` when the file cannot be made or read, is open to other users, or contains no key.
  public func box() throws -> SecretBox {
    if !exists {
      try writeNew(Self.random())
      try put()
    }
    return try SecretBox(masterKey: Self.read(path))
  }

  /// The master key in a file, as 32 bytes or 64 hexadecimal digits.
  /// - Parameter isForeign: whether the file belongs to someone else, who is responsible for its permissions.
  static func read(_ path: String, isForeign: Bool = false) throws -> Secret {
    guard let content = Secret.contents(of: path, bytesMax: bytesMax + 1) else {
      throw StoreError("cannot read the key file \(path)", errno: errno)
    }
    let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue ?? 0
    guard isForeign || mode & 0o077 == 0 else {
      throw StoreError(.notAccessible, "the key file \(path) can be read by others: run chmod 600 on it")
    }
    guard content.count <= bytesMax else {
      throw StoreError(
        .wrongKey, "the key file \(path) has more than \(bytesMax) bytes, but a key has 32, or 64 hexadecimal digits")
    }
    return content.count == 32 ? content : content.withUnsafeBytes(Self.key(in:)) ?? content
  }

  /// The key in `text`: 64 hexadecimal digits, with or without white space around them. `nil` if it is anything else.
  private static func key(in text: UnsafeRawBufferPointer) -> Secret? {
    guard let start = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) }),
      last - start == 63
    else { return nil }
    var isKey = true
    let key = Secret(count: 32) { key in
      for index in key.indices {
        let (high, low) = (digit(text[start + 2 * index]), digit(text[start + 2 * index + 1]))
        if let high, let low { key[index] = high << 4 | low } else { isKey = false }
      }
    }
    return isKey ? key : nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } }

  // MARK: - Changing the key

  /// Ends a change of the key that was interrupted, and keeps the key that opens the stored secrets.
  /// - Throws: `StoreError`, with `wrongKey` when neither opens them. Then both keys are kept.
  public func settle(_ store: Store) throws { try settle(hasSecrets: store.hasSecrets(), opens: store.opens) }

  /// Ends a change of the key that was interrupted, and keeps the key that opens the stored secrets.
  /// - Parameters:
  ///   - hasSecrets: whether anything is stored that a key opens.
  ///   - opens: whether a key opens all of it.
  /// - Throws: `StoreError`, with `wrongKey` when neither opens it. Then both keys are kept.
  package func settle(hasSecrets: @autoclosure () throws -> Bool, opens: (SecretBox) throws -> Bool) throws {
    guard FileManager.default.fileExists(atPath: newPath) else { return }
    if exists, try opens(try box()) { return try setNewAside() }
    // A key that was only half written can open nothing.
    guard let new = try? SecretBox(masterKey: Self.read(newPath)), try opens(new) else {
      if try !hasSecrets() {
        unlink(newPath)
        return
      }
      throw StoreError(.wrongKey, "neither \(path) nor \(newPath) opens the stored secrets: they were stored with another key")
    }
    try put()
  }

  /// Writes a new key next to the old one. `put` brings it into force.
  package func prepare() throws -> SecretBox {
    let key = Self.random()
    try writeNew(key)
    // Data sealed with it may be on another machine.
    PrivateFile.sync((path as NSString).deletingLastPathComponent)
    return try SecretBox(masterKey: key)
  }

  /// Removes a new key with which nothing was sealed.
  func dropNew() { unlink(newPath) }

  /// Replaces the old key with the new one.
  func put() throws {
    try PrivateFile.rename(newPath, to: path)
  }

  /// Replaces the old key with the new one, and keeps the old one next to it.
  /// - Returns: the path of the old one, or `nil` without one.
  package func putKeepingOld() throws -> String? {
    let kept = exists ? Self.unused(path + ".before-") : nil
    if let kept { try PrivateFile.rename(path, to: kept) }
    try put()
    return kept
  }

  /// Renames a new key that opens nothing here. It is kept, because the same file may serve another store, which it opens.
  package func setNewAside() throws {
    // A key that was only half written, or is not a key, opens nothing anywhere.
    guard (try? Self.read(newPath))?.count == 32 else {
      unlink(newPath)
      return
    }
    try PrivateFile.rename(newPath, to: Self.unused(path + ".unused-"))
  }

  /// An unused path with this beginning.
  private static func unused(_ start: String) -> String {
    var number = Int64(Date().timeIntervalSince1970)
    while FileManager.default.fileExists(atPath: "\(start)\(number)") { number += 1 }
    return "\(start)\(number)"
  }

  private func writeNew(_ key: Secret) throws { try key.withUnsafeBytes { try PrivateFile.write($0, to: newPath) } }

  private static func random() -> Secret { Secret(count: AESGCM.keyBytes, fill: SystemRandom.fill) }
}

extension SecretBox {
  /// The box whose master key is in `path`. If the file is missing, creates one that only its owner can read.
  /// - Throws: `StoreError` when the file cannot be made or read, is open to other users, or contains no key.
  public static func atFile(_ path: String) throws -> SecretBox { try KeyFile(path).box() }

  /// The box with the master key that systemd has for the daemon, or that is in someone else's file.
  /// - Parameter path: a file with 32 bytes or 64 hexadecimal digits.
  public static func atCredential(_ path: String) throws -> SecretBox {
    try SecretBox(masterKey: KeyFile.read(path, isForeign: true))
  }
}
