import RelayNetwork
import Testing

/// Addresses of files of this machine, and the folder that they must be in.
struct FileAddressTests {
  private func flaw(_ text: String) -> String? {
    do throws(FileAddress.Flaw) {
      _ = try FileAddress(text)
      return nil
    } catch { return error.reason }
  }

  @Test(arguments: [
    ("/srv/files/a.jpg", "file:///srv/files/a.jpg", "a.jpg"), ("/a", "file:///a", "a"),
    ("/srv/a b", "file:///srv/a%20b", "a b"), ("/srv/100%/#1?.txt", "file:///srv/100%25/%231%3F.txt", "#1?.txt"),
    ("/srv/Brücke.jpg", "file:///srv/Br%C3%BCcke.jpg", "Brücke.jpg"), ("/srv/...", "file:///srv/...", "..."),
    ("/srv/~a-b_c!$&'()*+,;=:@.x", "file:///srv/~a-b_c!$&'()*+,;=:@.x", "~a-b_c!$&'()*+,;=:@.x"),
    ("/srv/[x]\"\\", "file:///srv/%5Bx%5D%22%5C", "[x]\"\\"),
  ])
  func eachPathHasOneAddress(path: String, text: String, name: String) throws {
    let address = try FileAddress(path: path)
    #expect(address.text == text && address.name == name)
    let read = try FileAddress(text)
    #expect(read == address && Array(read.path.utf8) == Array(path.utf8))
  }

  @Test(arguments: [
    ("file://", "file:///absolute/path"), ("file:/srv/a", "file:///absolute/path"), ("FILE:///srv/a", "file:///absolute/path"),
    ("file://localhost/srv/a", "file:///absolute/path"), ("file:a", "file:///absolute/path"),
    ("file:///", "without empty parts"), ("file:///srv/files/../key", "without empty parts, '.' and '..'"),
    ("file:///srv/./a", "'.' and '..'"), ("file:///srv//a", "empty parts"), ("file:///srv/a/", "empty parts"),
    ("file:///srv/files/%2E%2E/key", "'.' and '..'"), ("file:///srv/files%2F..%2Fkey", "'.' and '..'"),
    ("file:///srv/%2e%2e/key", "'.' and '..'"), ("file:///srv/a%00", "control character"),
    ("file:///srv/a\n", "control character"), ("file:///srv/a%0Ab", "control character"),
    ("file:///srv/%61", "must be written as file:///srv/a"), ("file:///srv/a b", "must be written as file:///srv/a%20b"),
    ("file:///srv/files%2Fa", "must be written as file:///srv/files/a"),
    ("file:///srv/%c3%bc", "must be written as file:///srv/%C3%BC"), ("file:///srv/ü", "must be written as file:///srv/%C3%BC"),
    ("file:///srv/a?b", "must be written as file:///srv/a%3Fb"), ("file:///srv/a#b", "must be written as file:///srv/a%23b"),
    ("file:///srv/%", "Write a '%'"), ("file:///srv/%4", "Write a '%'"), ("file:///srv/%4x", "Write a '%'"),
    ("file:///srv/%FF", "Write a '%'"),
  ])
  func otherSpellingsAreRefused(text: String, words: String) throws {
    let reason = try #require(flaw(text))
    #expect(reason.contains(words), "\(reason)")
    #expect(!reason.contains("\n"))
  }

  @Test func addressesAreBounded() throws {
    let longest = "/" + String(repeating: "a", count: PostDraft.urlBytesMax - "file:///".utf8.count)
    #expect(try FileAddress(path: longest).text.utf8.count == PostDraft.urlBytesMax)
    #expect(throws: FileAddress.Flaw.self) { try FileAddress(path: longest + "a") }
    // Each of these bytes takes three in the address.
    #expect(throws: FileAddress.Flaw.self) { try FileAddress(path: "/" + String(repeating: " ", count: 400)) }
    #expect(flaw("file:///" + String(repeating: "a", count: 1_000)) == "has 1008 bytes, at most 1000 are allowed")
  }

  @Test(arguments: ["", "a", "srv/a", "//", "/", "/a/", "/a//b", "/a/..", "/./a", "/a\u{1B}b", "/a\u{0}"])
  func otherPathsAreRefused(path: String) { #expect(throws: FileAddress.Flaw.self) { try FileAddress(path: path) } }

  @Test func onlyWhatIsBelowTheFolderIsInIt() throws {
    for path in ["/srv/files", "/srv/files/"] {
      let folder = try FileFolder(path: path)
      #expect(folder.path == "/srv/files")
      for inside in ["/srv/files/a", "/srv/files/b/c"] { #expect(folder.holds(try FileAddress(path: inside))) }
      for outside in ["/srv/files", "/srv/files2/a", "/srv/filesa", "/srv/file/a", "/srv", "/etc/passwd", "/a/srv/files/a"] {
        #expect(!folder.holds(try FileAddress(path: outside)), "\(outside)")
      }
    }
    // One letter of two characters, and the same letter as one: two folders.
    let composed = try FileFolder(path: "/srv/\u{E9}")
    #expect(!composed.holds(try FileAddress(path: "/srv/e\u{301}/a")))
    #expect(composed.holds(try FileAddress(path: "/srv/\u{E9}/a")))
    for path in ["", "/", "//", "srv", "/srv/../etc", "/srv//files"] {
      #expect(throws: FileAddress.Flaw.self) { try FileFolder(path: path) }
    }
  }
}
