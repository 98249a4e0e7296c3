/// Reads how large a picture is from its first bytes, without decoding it. It does not guess.
public enum PictureHeader {
  /// In pixels, as readers see it.
  public struct Dimensions: Hashable, Sendable {
    public let width: Int
    public let height: Int

    /// The limit of relays and readers (`PostDraft.Attachment.pixelsMax`).
    private static let pixelsMax = 1_000_000

    init?(_ width: Int?, _ height: Int?) {
      guard let width, let height, (1...Self.pixelsMax).contains(width), (1...Self.pixelsMax).contains(height) else {
        return nil
      }
      self.width = width
      self.height = height
    }
  }

  /// The number of bytes that are read at most: the dimensions of a picture are near its beginning.
  private static let bytesMax = 1 << 20

  /// The dimensions of a PNG, JPEG, GIF or WebP picture, or `nil` if it is none of these, or is damaged.
  static func dimensions(in bytes: [UInt8]) -> Dimensions? {
    let file = Reader(bytes: bytes.prefix(bytesMax))
    if file.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      return file.has("IHDR".utf8, at: 12) ? Dimensions(file.big(4, at: 16), file.big(4, at: 20)) : nil
    }
    if file.has("GIF87a".utf8, at: 0) || file.has("GIF89a".utf8, at: 0) {
      return Dimensions(file.little(2, at: 6), file.little(2, at: 8))
    }
    if file.has("RIFF".utf8, at: 0), file.has("WEBP".utf8, at: 8) { return webp(file) }
    return file.has([0xFF, 0xD8], at: 0) ? jpeg(file) : nil
  }

  private static func webp(_ file: Reader) -> Dimensions? {
    if file.has("VP8X".utf8, at: 12) {
      return Dimensions(file.little(3, at: 24).map { $0 + 1 }, file.little(3, at: 27).map { $0 + 1 })
    }
    if file.has("VP8L".utf8, at: 12), file.has([0x2F], at: 20) {
      // 14 bits for each, less 1.
      return file.little(4, at: 21).flatMap { Dimensions($0 & 0x3FFF + 1, $0 >> 14 & 0x3FFF + 1) }
    }
    guard file.has("VP8 ".utf8, at: 12), file.has([0x9D, 0x01, 0x2A], at: 23) else { return nil }
    // The two highest bits are a scale.
    return Dimensions(file.little(2, at: 26).map { $0 & 0x3FFF }, file.little(2, at: 28).map { $0 & 0x3FFF })
  }

  // MARK: - JPEG

  private static func jpeg(_ file: Reader) -> Dimensions? {
    var (at, isTurned) = (2, false)
    while let marker = file.big(2, at: at), marker >> 8 == 0xFF {
      let kind = marker & 0xFF
      // Bytes that fill, and markers without a segment.
      if kind == 0xFF || kind == 0x01 || (0xD0...0xD7).contains(kind) {
        at += kind == 0xFF ? 1 : 2
        continue
      }
      // The picture itself begins, so no dimensions follow.
      guard kind != 0xDA, kind != 0xD9, let length = file.big(2, at: at + 2), length >= 2 else { return nil }
      if (0xC0...0xCF).contains(kind), ![0xC4, 0xC8, 0xCC].contains(kind) {
        let (height, width) = (file.big(2, at: at + 5), file.big(2, at: at + 7))
        return isTurned ? Dimensions(height, width) : Dimensions(width, height)
      }
      if kind == 0xE1, file.has("Exif\0\0".utf8, at: at + 4) { isTurned = file.part(at + 10, at + 2 + length).isTurned }
      at += 2 + length
    }
    return nil
  }

  /// Numbers in bytes, or `nil` beyond the end.
  private struct Reader {
    let bytes: ArraySlice<UInt8>

    func has(_ wanted: some Sequence<UInt8>, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: wanted) }

    func big(_ count: Int, at offset: Int) -> Int? { number(count, offset)?.reduce(0) { $0 << 8 | Int($1) } }

    func little(_ count: Int, at offset: Int) -> Int? { number(count, offset)?.reversed().reduce(0) { $0 << 8 | Int($1) } }

    private func number(_ count: Int, _ offset: Int) -> ArraySlice<UInt8>? {
      let found = offset < 0 ? [] : bytes.dropFirst(offset).prefix(count)
      return found.count == count ? found : nil
    }

    func part(_ start: Int, _ end: Int) -> Reader { Reader(bytes: bytes.prefix(end).dropFirst(start)) }

    /// Whether readers turn the picture by a quarter (Exif: orientations 5 to 8), so that its width is their height. The bytes are those
    /// of a TIFF.
    var isTurned: Bool {
      let isLittle = has("II".utf8, at: 0)
      guard isLittle || has("MM".utf8, at: 0) else { return false }
      func read(_ count: Int, at offset: Int) -> Int? { isLittle ? little(count, at: offset) : big(count, at: offset) }
      guard let directory = read(4, at: 4), let count = read(2, at: directory) else { return false }
      // The number is one of two bytes, and the directory ends with the bytes.
      for index in 0..<count {
        let entry = directory + 2 + 12 * index
        guard let tag = read(2, at: entry) else { return false }
        if tag == 0x0112 { return read(2, at: entry + 8).map((5...8).contains) ?? false }
      }
      return false
    }
  }
}
