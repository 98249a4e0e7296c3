/// The type of a file.
public struct FileType: Hashable, Sendable {
  /// The media type, such as `image/jpeg`.
  public let mimeType: String
  /// The usual end of names of such files, without a dot.
  public let fileExtension: String

  private init(_ mimeType: String, _ fileExtension: String) {
    self.mimeType = mimeType
    self.fileExtension = fileExtension
  }

  /// The first bytes of types that can be recognised by them.
  private static let beginnings: [(bytes: [UInt8], type: FileType)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], FileType("image/png", "png")),
    ([0xFF, 0xD8, 0xFF], FileType("image/jpeg", "jpg")),
    (Array("GIF87a".utf8), FileType("image/gif", "gif")),
    (Array("GIF89a".utf8), FileType("image/gif", "gif")),
    (Array("%PDF-".utf8), FileType("application/pdf", "pdf")),
    (Array("OggS".utf8), FileType("audio/ogg", "ogg")),
    (Array("fLaC".utf8), FileType("audio/flac", "flac")),
    (Array("ID3".utf8), FileType("audio/mpeg", "mp3")),
    ([0xFF, 0xFB], FileType("audio/mpeg", "mp3")),
    ([0x1A, 0x45, 0xDF, 0xA3], FileType("video/webm", "webm")),
    ([0x50, 0x4B, 0x03, 0x04], FileType("application/zip", "zip")),
  ]

  /// The words after `ftyp` in files of the ISO family.
  private static let brands: [String: FileType] = [
    "avif": FileType("image/avif", "avif"), "heic": FileType("image/heic", "heic"), "mif1": FileType("image/heic", "heic"),
    "M4A ": FileType("audio/mp4", "m4a"), "qt  ": FileType("video/quicktime", "mov"),
  ]

  /// Types that cannot be recognised by their bytes, by the ends of names.
  private static let ends: [String: FileType] = [
    "txt": FileType("text/plain", "txt"), "md": FileType("text/markdown", "md"), "csv": FileType("text/csv", "csv"),
    "json": FileType("application/json", "json"), "svg": FileType("image/svg+xml", "svg"),
    "ics": FileType("text/calendar", "ics"), "gpx": FileType("application/gpx+xml", "gpx"),
  ]

  /// The type of `bytes`, recognised by their beginning, or else by the end of `name`.
  init?(of bytes: [UInt8], name: String) {
    if let found = Self.beginnings.first(where: { bytes.starts(with: $0.bytes) }) {
      self = found.type
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      self = FileType("image/webp", "webp")
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WAVE".utf8) {
      self = FileType("audio/wav", "wav")
    } else if bytes.dropFirst(4).starts(with: "ftyp".utf8) {
      let brand = String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)
      self = Self.brands[brand] ?? FileType("video/mp4", "mp4")
    } else {
      let last = name.split(separator: "/").last ?? ""
      guard let dot = last.lastIndex(of: "."), let type = Self.ends[last[dot...].dropFirst().lowercased()] else { return nil }
      self = type
    }
  }
}
