internal import Cryptography
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The files that pages load. Their addresses contain a part computed from their content, so browsers may cache them forever.
struct Assets: Sendable {
  private struct File: Sendable {
    let type: String
    let bytes: ByteBuffer
  }

  private let files: [String: File]
  /// A version that changes with any of the files.
  let version: String

  init() {
    let types = ["css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"]
    let sources = PageFiles.all.filter { $0.path.hasPrefix("assets/") }.map { file in
      (
        name: String(file.path.dropFirst("assets/".count)),
        type: types[file.path.split(separator: ".").last.map(String.init) ?? ""] ?? "application/octet-stream",
        bytes: file.bytes
      )
    }
    var hash = SHA256()
    for source in sources { source.bytes.withUnsafeBytes { hash.update($0) } }
    version = hash.finish().prefix(6).hexadecimal
    files = Dictionary(
      uniqueKeysWithValues: sources.map { ($0.name, File(type: $0.type, bytes: ByteBuffer(bytes: $0.bytes))) })
  }

  /// - Returns: `nil` if the file does not exist. For another version, the current file, which must not be cached.
  func response(_ name: String, version: String) -> Response? {
    guard let file = files[name] else { return nil }
    let isPresent = version == self.version
    return Response(
      status: .ok,
      headers: [
        .contentType: file.type, .cacheControl: isPresent ? "public, max-age=31536000, immutable" : "no-store",
      ], body: ResponseBody(byteBuffer: file.bytes))
  }
}
