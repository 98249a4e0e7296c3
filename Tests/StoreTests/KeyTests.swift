import Channels
import Foundation
import Secrets
import Storage
import TestSupport
import Testing

@testable import Store

/// The key under which secrets are stored, and its change.
struct KeyTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private var keyPath: String { path + "/identity.key" }
  private static let address = "smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@smp.example"

  init() throws { folder = try TemporaryFolder() }

  /// A database with a key in use, two identities and a password.
  private func fill() async throws {
    let store = try Store(directory: path)
    let box = try SecretBox.atFile(keyPath)
    for (id, name) in [(1, "main"), (2, "desk")] {
      try await store.commit([
        .insertIdentity(
          IdentityRow(
            id: IdentityID(rawValue: Int64(id)), name: name, network: .nostr, publicName: "p\(id)",
            sealedKey: box.seal(Secret("secret of \(name)".utf8), label: SecretBox.label(ofIdentity: name, on: .nostr)),
            createdAt: Timestamp(milliseconds: 1)))
      ])
    }
    try await store.commit([
      .saveServer(
        ServerRow(
          id: ServerID(rawValue: 1), transport: .smp, address: Self.address, fingerprint: "f", hosts: ["smp.example"],
          port: nil,
          sealedPassword: box.seal(Secret("hunter2".utf8), label: SecretBox.label(ofServer: Self.address)), revision: 1))
    ])
    store.close()
  }

  /// What `box` makes of what is stored.
  private func secrets(_ box: SecretBox) throws -> [String] {
    let store = try Store(directory: path)
    defer { store.close() }
    let keys = try store.identities().map {
      String(decoding: try box.open($0.sealedKey, label: SecretBox.label(ofIdentity: $0.name, on: .nostr)).bytes, as: UTF8.self)
    }
    let passwords = try store.servers().map {
      String(decoding: try box.open($0.sealedPassword ?? [], label: SecretBox.label(ofServer: $0.address)).bytes, as: UTF8.self)
    }
    return keys + passwords
  }

  private static let all = ["secret of main", "secret of desk", "hunter2"]
  private func key() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: keyPath)) }

  @Test func newKeyOpensEverythingAndTheOldOneNothing() async throws {
    try await fill()
    let old = try SecretBox.atFile(keyPath)
    let before = try Store(directory: path)
    let sealed = try before.identities().map(\.sealedKey)
    before.close()
    func isStored(_ bytes: [UInt8]) throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: path + "/baton.db")).range(of: Data(bytes)) != nil
    }
    #expect(try sealed.allSatisfy(isStored))
    #expect(try Store.changeKey(directory: path, from: nil, to: nil) == (3, true))
    #expect(try secrets(.atFile(keyPath)) == Self.all)
    #expect(throws: StoreError.self) { try secrets(old) }
    #expect(!FileManager.default.fileExists(atPath: keyPath + ".new"))
    #expect(try FileManager.default.attributesOfItem(atPath: keyPath)[.posixPermissions] as? Int == 0o600)
    // What the old key had sealed is in no page of the file any more.
    #expect(try !sealed.contains(where: isStored))
  }

  @Test func keyMovesToAnotherFileAndBack() async throws {
    try await fill()
    let other = folder.path + "/other.key"
    try String(repeating: "0a", count: 32).appending("\n").write(toFile: other, atomically: true, encoding: .utf8)
    let own = try key()
    #expect(try Store.changeKey(directory: path, from: nil, to: .atCredential(other)) == (3, true))
    #expect(try key() == own, "identity.key stays as it was")
    #expect(try secrets(.atCredential(other)) == Self.all)
    #expect(throws: StoreError.self) { try Store.changeKey(directory: path, from: nil, to: nil) }
    #expect(try secrets(.atCredential(other)) == Self.all, "a wrong key changes nothing")
    try FileManager.default.removeItem(atPath: keyPath)
    #expect(throws: StoreError.self) { try Store.changeKey(directory: path, from: nil, to: nil) }
    #expect(try Store.changeKey(directory: path, from: .atCredential(other), to: nil) == (3, true))
    #expect(try secrets(.atFile(keyPath)) == Self.all)
  }

  /// 32 bytes as they are, also where they look like text, or 64 hexadecimal digits with white space around them.
  @Test func keysAreReadInEitherForm() throws {
    let digits = String(repeating: "0a1B", count: 16)
    let key = [UInt8](repeating: 0, count: 32).indices.map { $0.isMultiple(of: 2) ? UInt8(0x0A) : 0x1B }
    let path = folder.path + "/some.key"
    for (content, expected) in [
      (digits, key), (digits + "\n", key), (" \t" + digits + "\r\n\n", key),
      (String(digits.prefix(32)), Array(digits.utf8.prefix(32))),
      (String(repeating: " ", count: 32), [UInt8](repeating: 0x20, count: 32)),
      // No keys: they are refused for their length.
      ("\(digits.dropLast())g", nil), ("\(digits.dropLast(2))é", nil), ("\(digits.dropLast())", nil), ("\(digits)0", nil),
      ("\(digits.prefix(32)) \(digits.suffix(31))", nil), (String(repeating: " ", count: 64), nil), ("", nil),
      (String(repeating: "\n", count: 5000) + digits, nil), (digits + String(repeating: "\n", count: 5000), nil),
    ] as [(String, [UInt8]?)] {
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      guard let expected else {
        #expect(throws: StoreError.self, "\(content.debugDescription.prefix(80))") { try SecretBox.atCredential(path) }
        continue
      }
      let sealed = try SecretBox.atCredential(path).seal(Secret([1]), label: "n")
      #expect(try SecretBox(masterKey: Secret(expected)).open(sealed, label: "n").bytes == [1])
    }
  }

  @Test func changeThatWasInterruptedIsEndedAtTheNextStart() async throws {
    try await fill()
    let file = KeyFile(keyPath)
    let old = try key()
    // Before the database took the new key.
    _ = try file.prepare()
    var store = try Store(directory: path)
    try file.settle(store)
    store.close()
    #expect(try key() == old && secrets(file.box()) == Self.all)
    // After that, and before the file took its place.
    #expect(try Store.changeKey(directory: path, from: nil, to: nil) == (3, true))
    try FileManager.default.moveItem(atPath: keyPath, toPath: keyPath + ".new")
    try old.write(to: URL(fileURLWithPath: keyPath))
    chmod(keyPath, 0o600)
    store = try Store(directory: path)
    try file.settle(store)
    store.close()
    #expect(try secrets(file.box()) == Self.all)
    #expect(!FileManager.default.fileExists(atPath: keyPath + ".new"))
    // Neither is the one: nothing is thrown away.
    let right = try key()
    _ = try file.prepare()
    try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: keyPath))
    chmod(keyPath, 0o600)
    store = try Store(directory: path)
    #expect { try file.settle(store) } throws: { ($0 as? StoreError)?.code == .wrongKey }
    store.close()
    #expect(FileManager.default.fileExists(atPath: keyPath + ".new"))
    try right.write(to: URL(fileURLWithPath: keyPath))
    store = try Store(directory: path)
    try file.settle(store)
    store.close()
    #expect(try secrets(file.box()) == Self.all && !FileManager.default.fileExists(atPath: keyPath + ".new"))
  }

  @Test func whatCannotBeIsRefusedWithItsReason() async throws {
    #expect(throws: StoreError.self, "no database") { try Store.changeKey(directory: path, from: nil, to: nil) }
    try await fill()
    let short = folder.path + "/short.key"
    try Data(repeating: 1, count: 31).write(to: URL(fileURLWithPath: short))
    for (from, to) in [(short, nil), (nil, short), (nil, folder.path + "/missing"), ("/dev/null", nil)] as [(String?, String?)]
    {
      #expect(throws: StoreError.self) {
        try Store.changeKey(directory: path, from: from.map(SecretBox.atCredential), to: to.map(SecretBox.atCredential))
      }
    }
    let store = try Store(directory: path)
    #expect { try Store.changeKey(directory: path, from: nil, to: nil) } throws: { ($0 as? StoreError)?.code == .inUse }
    store.close()
    #expect(try secrets(.atFile(keyPath)) == Self.all)
  }
}
