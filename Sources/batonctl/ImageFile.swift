internal import Foundation

/// Image files in the form that the control API accepts.
enum ImageFile {
  /// The file as a data URL.
  static func dataURL(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Refusal(text: "cannot read the image \(path)", status: 64)
    }
    let kinds: [(starts: [UInt8], name: String)] = [
      ([0x89, 0x50, 0x4E, 0x47], "png"), ([0xFF, 0xD8, 0xFF], "jpeg"), (Array("RIFF".utf8), "webp"),
    ]
    guard let kind = kinds.first(where: { data.starts(with: $0.starts) }) else {
      throw Refusal(text: "\(path) is not a PNG, JPEG or WebP image", status: 64)
    }
    return "data:image/\(kind.name);base64,\(data.base64EncodedString())"
  }
}
