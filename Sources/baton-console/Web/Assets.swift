internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The files that pages load. Their addresses have a part that follows from what is in them, so browsers may keep them forever.
struct Assets: Sendable {
  private struct File: Sendable {
    let type: String
    let bytes: ByteBuffer
  }

  private let files: [String: File]
  /// Stands for all files as they are.
  let version: String

  init() {
    let sources: [(name: String, type: String, bytes: [UInt8])] = [
      ("console.css", "text/css; charset=utf-8", PackageResources.console_css),
      ("console.js", "text/javascript; charset=utf-8", PackageResources.console_js),
      ("image.js", "text/javascript; charset=utf-8", PackageResources.image_js),
      ("live.js", "text/javascript; charset=utf-8", PackageResources.live_js),
      ("refresh.js", "text/javascript; charset=utf-8", PackageResources.refresh_js),
      ("session.js", "text/javascript; charset=utf-8", PackageResources.session_js),
      ("times.js", "text/javascript; charset=utf-8", PackageResources.times_js),
      ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ]
    var hash = SHA256()
    for source in sources { hash.update(data: source.bytes) }
    version = Hex.text(hash.finalize().prefix(6))
    files = Dictionary(
      uniqueKeysWithValues: sources.map { ($0.name, File(type: $0.type, bytes: ByteBuffer(bytes: $0.bytes))) })
  }

  /// - Returns: `nil` if there is no such file. One of another version is answered with the present one, which nobody keeps.
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
