import Foundation
import Secrets
import Storage
import Store
import TestSupport
import Testing

struct SecretBoxTests {
  @Test func keysOpenOnlyForTheirNameAndMasterKey() throws {
    let box = try SecretBox(masterKey: Secret([UInt8](repeating: 1, count: 32)))
    let sealed = box.seal(Secret([9, 8, 7]), label: "main")
    #expect(try box.open(sealed, label: "main").bytes == [9, 8, 7])
    #expect(throws: StoreError.self) { try box.open(sealed, label: "other") }
    #expect(throws: StoreError.self) {
      try SecretBox(masterKey: Secret([UInt8](repeating: 2, count: 32))).open(sealed, label: "main")
    }
    var changed = sealed
    changed[14] ^= 1
    #expect(throws: StoreError.self) { try box.open(changed, label: "main") }
    #expect(box.seal(Secret([9, 8, 7]), label: "main") != sealed)
  }

  /// No one can tell from digests that two servers have the same password.
  @Test func digestsAreBoundToLabelAndMasterKey() throws {
    let box = try SecretBox(masterKey: Secret([UInt8](repeating: 1, count: 32)))
    let digest = box.digest(Array("secret".utf8), label: "a")
    #expect(digest == box.digest(Array("secret".utf8), label: "a"))
    #expect(digest.count == 64 && digest.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(digest != box.digest(Array("secret".utf8), label: "b"))
    #expect(digest != box.digest(Array("secret2".utf8), label: "a"))
    #expect(
      digest != (try SecretBox(masterKey: Secret([UInt8](repeating: 2, count: 32))).digest(Array("secret".utf8), label: "a")))
    // Where the label ends and the secret begins is part of it.
    #expect(digest != box.digest(Array("ecret".utf8), label: "as"))
  }

  @Test func keyFileIsPrivateAndStays() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/identity.key"
    let sealed = try SecretBox.atFile(path).seal(Secret([1]), label: "n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try SecretBox.atFile(path).open(sealed, label: "n").bytes == [1])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect { try SecretBox.atFile(path) } throws: { "\($0)".contains("chmod 600") }
  }
}
