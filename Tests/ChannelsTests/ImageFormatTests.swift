import Channels
import Foundation
import TestTools
import Testing

/// Pictures written by a common imaging library, whole and damaged.
struct ImageFormatTests {
  private static let pictures: [(ImageFormat, String)] = [
    (.png, TestImage.png),
    (
      .jpeg,
      "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H///"
        + "/6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wgARCAAC"
        + "AAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAP/xAAVAQEBAAAAAAAAAAAAAAAAAAACA//aAAwDAQACEAMQAAABkDf/xAAUEAEAAA"
        + "AAAAAAAAAAAAAAAAAA/9oACAEBAAEFAn//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAEDAQE/AX//xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA"
        + "CAECAQE/AX//xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAY/An//xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAE/IX//2gAMAwEAAg"
        + "ADAAAAEP8A/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAA"
        + "AAAAAAAAAAAAAAAAAP/aAAgBAQABPxB//9k="
    ),
    (.webp, "UklGRjIAAABXRUJQVlA4ICYAAABwAQCdASoDAAIABABoJaACdAFAAAD+6WjkYaNf/jeP7lP8U+OgAA=="),
    (.webp, "UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQjyKXp/+BiOh/AAA="),
  ]

  private func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }

  @Test func wholePicturesAreTaken() throws {
    for (format, text) in Self.pictures { try format.check(bytes(text)) }
  }

  @Test func truncatedPicturesAreRefused() throws {
    for (format, text) in Self.pictures {
      let whole = try bytes(text)
      for count in 0..<whole.count {
        #expect("\(format) cut to \(count)") { try format.check(Array(whole.prefix(count))) } throws: {
          ($0 as? ImageFormat.Invalid)?.reason.isEmpty == false
        }
      }
    }
  }

  @Test func changeOfAnyByteOfAPNGImageIsNoticed() throws {
    let whole = try bytes(Self.pictures[0].1)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x10
      #expect(throws: ImageFormat.Invalid.self, "byte \(index)") { try ImageFormat.png.check(changed) }
    }
  }

  @Test func oneFormatIsNotTakenForAnother() throws {
    for (format, text) in Self.pictures {
      for other in ImageFormat.allCases where other != format {
        #expect(throws: ImageFormat.Invalid.self) { try other.check(bytes(text)) }
      }
    }
  }

  @Test func pictureHeadersBeforeOtherBytesAreRefused() throws {
    let rubbish = [UInt8](repeating: 0x41, count: 200)
    for (format, start) in [
      (ImageFormat.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]),
      (.webp, Array("RIFF".utf8)),
    ] as [(ImageFormat, [UInt8])] {
      #expect(throws: ImageFormat.Invalid.self) { try format.check(start + rubbish) }
    }
  }

  @Test func anyBytesAreTakenOrRefusedWithoutACrash() async throws {
    var random = SplitMix64(seed: 21)
    for (format, text) in Self.pictures {
      let whole = try bytes(text)
      for number in 0..<3_000 {
        if number % 128 == 0 { await Task.yield() }
        var changed = whole
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        try? format.check(changed)
      }
    }
  }

  @Test func dataURLsAreSplit() throws {
    let jpeg = try #require(ImageFormat.parts(ofDataURL: "data:image/jpg;base64,/9j/"))
    #expect(jpeg.format == .jpeg && jpeg.base64 == "/9j/" && jpeg.format.mediaType == "image/jpeg")
    #expect(ImageFormat.parts(ofDataURL: "data:image/png;base64,")?.format == .png)
    #expect(ImageFormat.parts(ofDataURL: "data:image/webp;base64,UklGRg==")?.format == .webp)
    for other in [
      "", "data:", "data:;base64,", "image/png;base64,iVBORw0KGgo=", "data:image/png,iVBORw0KGgo=",
      "data:image/svg+xml;base64,PHN2Zy8+", "data:text/html;base64,PGI+", "data:image/png;charset=x;base64,iVBORw0KGgo=",
      "DATA:image/png;base64,iVBORw0KGgo=", "https://example.org/a.png", "data:image/png\r\nX: y;base64,iVBORw0KGgo=",
    ] { #expect(ImageFormat.parts(ofDataURL: other) == nil, "\(other)") }
  }
}
