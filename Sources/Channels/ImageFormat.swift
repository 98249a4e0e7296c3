/// The formats of channel pictures that readers' programs can be expected to show.
public enum ImageFormat: String, Sendable, CaseIterable {
  case png, jpeg, webp

  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence about the error.
    public let reason: String
  }

  /// The media type of its files.
  public var mediaType: String { "image/\(rawValue)" }

  /// Splits an image as profiles have it, a data URL (RFC 2397) in base64.
  /// - Returns: its format and its base64, which is not checked, or `nil` if the text is not such a URL.
  public static func parts(ofDataURL text: String) -> (format: ImageFormat, base64: Substring)? {
    let formats = ["image/png": ImageFormat.png, "image/jpeg": .jpeg, "image/jpg": .jpeg, "image/webp": .webp]
    guard text.hasPrefix("data:"), let mark = text.firstRange(of: ";base64,"),
      let format = formats[String(text[text.index(text.startIndex, offsetBy: 5)..<mark.lowerBound])]
    else { return nil }
    return (format, text[mark.upperBound...])
  }

  /// Largest width or height, in pixels.
  public static let sideMax = 16_383

  /// Checks that `bytes` are a whole picture of this format, as far as possible without decoding it: every part has the length that it
  /// states, all required parts are there, and the size is possible.
  public func check(_ bytes: [UInt8]) throws(Invalid) {
    let size: (width: Int, height: Int)
    switch self {
    case .png: size = try Self.png(bytes)
    case .jpeg: size = try Self.jpeg(bytes)
    case .webp: size = try Self.webp(bytes)
    }
    guard (1...Self.sideMax).contains(size.width), (1...Self.sideMax).contains(size.height) else {
      throw Invalid(reason: "its size is \(size.width) by \(size.height) pixels")
    }
  }

  private static func big(_ bytes: [UInt8], _ index: Int, _ count: Int) -> Int {
    bytes[index..<index + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func little(_ bytes: [UInt8], _ index: Int, _ count: Int) -> Int {
    bytes[index..<index + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: - PNG (ISO/IEC 15948)

  private static func png(_ bytes: [UInt8]) throws(Invalid) -> (Int, Int) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
      throw Invalid(reason: "it is not a PNG image")
    }
    var index = 8
    var size: (Int, Int)?
    var hasData = false
    while index + 12 <= bytes.count {
      let length = big(bytes, index, 4)
      guard length <= bytes.count - index - 12 else { throw Invalid(reason: "the PNG image is cut off") }
      let kind = bytes[index + 4..<index + 8]
      guard crc(bytes[index + 4..<index + 8 + length]) == UInt32(big(bytes, index + 8 + length, 4)) else {
        throw Invalid(reason: "the PNG image is damaged")
      }
      if index == 8 {
        guard kind.elementsEqual("IHDR".utf8), length == 13 else { throw Invalid(reason: "the PNG image has no header") }
        size = (big(bytes, index + 8, 4), big(bytes, index + 12, 4))
      }
      hasData = hasData || kind.elementsEqual("IDAT".utf8)
      index += 12 + length
      if kind.elementsEqual("IEND".utf8) {
        guard hasData, let size else { throw Invalid(reason: "the PNG image has no data") }
        guard index == bytes.count else { throw Invalid(reason: "something follows the PNG image") }
        return size
      }
    }
    throw Invalid(reason: "the PNG image is cut off")
  }

  private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  // MARK: - JPEG (ITU-T T.81)

  private static func jpeg(_ bytes: [UInt8]) throws(Invalid) -> (Int, Int) {
    guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { throw Invalid(reason: "it is not a JPEG image") }
    guard bytes.suffix(2) == [0xFF, 0xD9] else { throw Invalid(reason: "the JPEG image is cut off") }
    var index = 2
    var size: (Int, Int)?
    while index + 4 <= bytes.count {
      guard bytes[index] == 0xFF else { throw Invalid(reason: "the JPEG image is damaged") }
      let marker = bytes[index + 1]
      if marker == 0xFF {
        index += 1  // a fill byte
        continue
      }
      let length = big(bytes, index + 2, 2)
      guard length >= 2, index + 2 + length <= bytes.count else { throw Invalid(reason: "the JPEG image is cut off") }
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard length >= 8 else { throw Invalid(reason: "the JPEG image is damaged") }
        size = (big(bytes, index + 7, 2), big(bytes, index + 5, 2))
      case 0xDA:
        // The picture itself follows.
        guard let size else { throw Invalid(reason: "the JPEG image has no header") }
        return size
      case 0x00, 0x01, 0xD0...0xD9: throw Invalid(reason: "the JPEG image is damaged")
      default: break
      }
      index += 2 + length
    }
    throw Invalid(reason: "the JPEG image has no data")
  }

  // MARK: - WebP (RFC 9649)

  private static func webp(_ bytes: [UInt8]) throws(Invalid) -> (Int, Int) {
    guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
      throw Invalid(reason: "it is not a WebP image")
    }
    guard little(bytes, 4, 4) == bytes.count - 8 else {
      throw Invalid(reason: "the WebP image is cut off, or something follows it")
    }
    var index = 12
    while index + 8 <= bytes.count {
      let length = little(bytes, index + 4, 4)
      guard length <= bytes.count - index - 8 else { throw Invalid(reason: "the WebP image is cut off") }
      index += 8 + length + length % 2
    }
    guard index == bytes.count || index == bytes.count + 1 else { throw Invalid(reason: "the WebP image is damaged") }
    let kind = bytes[12..<16]
    if kind.elementsEqual("VP8 ".utf8) {
      guard bytes[23..<26].elementsEqual([0x9D, 0x01, 0x2A]) else { throw Invalid(reason: "the WebP image is damaged") }
      return (little(bytes, 26, 2) & 0x3FFF, little(bytes, 28, 2) & 0x3FFF)
    }
    if kind.elementsEqual("VP8L".utf8) {
      guard bytes[20] == 0x2F else { throw Invalid(reason: "the WebP image is damaged") }
      let bits = little(bytes, 21, 4)
      return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }
    guard kind.elementsEqual("VP8X".utf8) else { throw Invalid(reason: "the WebP image has no header") }
    return (little(bytes, 24, 3) + 1, little(bytes, 27, 3) + 1)
  }
}
