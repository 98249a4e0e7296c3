import Foundation
import TestTools
import Testing

@testable import WebFiles

/// What files say about themselves.
struct PictureHeaderTests {
  private static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  private static func little(_ number: Int, _ count: Int) -> [UInt8] { big(number, count).reversed() }

  private static func png(_ width: Int, _ height: Int) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13, 4) + Array("IHDR".utf8) + big(width, 4) + big(height, 4)
      + [8, 2, 0, 0, 0]
  }
  private static func gif(_ width: Int, _ height: Int) -> [UInt8] {
    Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0, 0, 0]
  }
  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }
  private static func jpeg(_ width: Int, _ height: Int, _ before: [UInt8] = [], frame: UInt8 = 0xC0) -> [UInt8] {
    [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8)) + before
      + segment(frame, [8] + big(height, 2) + big(width, 2) + [3, 0, 0, 0]) + [0xFF, 0xDA]
  }
  private static func exif(_ orientation: Int, isLittle: Bool) -> [UInt8] {
    let number = isLittle ? little : big
    let entries = number(0x010F, 2) + number(2, 2) + number(4, 4) + number(0, 4) + number(0x0112, 2) + number(3, 2)
    let tiff = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(2, 2)
    return segment(0xE1, Array("Exif\0\0".utf8) + tiff + entries + number(1, 4) + number(orientation, 2) + [0, 0])
  }
  private static func webp(_ chunk: String, _ content: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP".utf8) + Array(chunk.utf8) + [0, 0, 0, 0] + content
  }

  private static let pictures: [(bytes: [UInt8], size: [Int], type: String)] = [
    (png(640, 480), [640, 480], "image/png"), (gif(3, 70), [3, 70], "image/gif"),
    (jpeg(4032, 3024), [4032, 3024], "image/jpeg"), (jpeg(7, 5, frame: 0xC2), [7, 5], "image/jpeg"),
    (jpeg(7, 5, [0xFF, 0xFF] + segment(0xDB, [1, 2])), [7, 5], "image/jpeg"),
    (jpeg(7, 5, segment(0xC4, [9, 9, 9, 9, 9, 9, 9])), [7, 5], "image/jpeg"),
    (jpeg(7, 5, exif(1, isLittle: true)), [7, 5], "image/jpeg"), (jpeg(7, 5, exif(6, isLittle: true)), [5, 7], "image/jpeg"),
    (jpeg(7, 5, exif(8, isLittle: false)), [5, 7], "image/jpeg"),
    (webp("VP8X", [0, 0, 0, 0] + little(1999, 3) + little(999, 3)), [2000, 1000], "image/webp"),
    (webp("VP8L", [0x2F] + little(99 | 49 << 14, 4)), [100, 50], "image/webp"),
    (webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + little(320 | 1 << 14, 2) + little(240, 2)), [320, 240], "image/webp"),
  ]

  @Test func picturesSayHowLargeTheyAre() {
    for (bytes, size, type) in Self.pictures {
      let file = LocalFile(bytes: bytes, name: "photo.txt")
      #expect([file.dimensions?.width, file.dimensions?.height] == size, "\(type)")
      #expect(file.type?.mimeType == type, "the content counts, not the name")
    }
  }

  @Test func impossibleSizesAreNone() {
    for bytes in [
      Self.png(0, 5), Self.png(5, 0), Self.png(1_000_001, 5), Self.png(0xFFFF_FFFF, 5), Self.gif(0, 0), Self.jpeg(0, 5),
    ] {
      #expect(LocalFile(bytes: bytes, name: "").dimensions == nil)
    }
  }

  /// Each beginning of a picture, and each picture with any byte changed, is read or not, and nothing else happens.
  @Test func damagedPicturesAreRead() {
    for (bytes, size, _) in Self.pictures {
      for count in 0..<bytes.count {
        let found = PictureHeader.dimensions(in: Array(bytes[..<count]))
        #expect(found == nil || [found?.width, found?.height] == size)
      }
      for index in bytes.indices {
        for value in [0x00, 0x01, 0x7F, 0x80, 0xC0, 0xD8, 0xDA, 0xE1, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged[index] = value
          let found = PictureHeader.dimensions(in: damaged)
          #expect(found.map { (1...1_000_000).contains($0.width) && (1...1_000_000).contains($0.height) } ?? true)
        }
      }
    }
    var draw = SystemRandomNumberGenerator()
    for start in [[0xFF, 0xD8], [0xFF, 0xD8, 0xFF, 0xE1], []] as [[UInt8]] {
      for _ in 0..<200 { _ = PictureHeader.dimensions(in: start + (0..<400).map { _ in .random(in: 0...255, using: &draw) }) }
    }
    #expect(PictureHeader.dimensions(in: [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 3 << 20)) == nil)
  }

  @Test func typesAreThoseOfTheContentOrTheName() {
    func type(_ text: String, _ name: String) -> String? { LocalFile(bytes: Array(text.utf8), name: name).type?.mimeType }
    #expect(type("%PDF-1.7", "x") == "application/pdf")
    #expect(type("0000ftypisom0000", "x") == "video/mp4" && type("0000ftypavif", "x.mp4") == "image/avif")
    #expect(type("a,b", "/tmp.d/TABLE.CSV") == "text/csv" && type("hello", "a.txt") == "text/plain")
    #expect(type("hello", "/tmp.csv/a") == nil && type("hello", "a.exe") == nil && type("", "") == nil && type("x", ".") == nil)
  }

  @Test func filesAreReadWhole() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.txt"
    try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
    let file = try LocalFile(path: path)
    #expect(file.bytes == Array("abc".utf8) && file.dimensions == nil)
    #expect(file.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect(truncate(path, 0) == 0)
    let large = folder.path + "/large"
    #expect(FileManager.default.createFile(atPath: large, contents: nil) && truncate(large, off_t(LocalFile.bytesMax + 1)) == 0)
    for (path, words) in [
      (path, "is empty"), (folder.path, "is not a file"), (folder.path + "/pipe", "is not a file"),
      ("/dev/zero", "is not a file"),
      (large, "more than \(LocalFile.bytesMax) bytes"), (folder.path + "/none", "No such file"),
    ] {
      let flaw = #expect(throws: LocalFile.Flaw.self) { try LocalFile(path: path) }
      #expect(flaw?.description.contains(words) == true, "\(String(describing: flaw))")
    }
  }
}
