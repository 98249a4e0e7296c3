internal import Channels
internal import Foundation
public import RelayNetwork

/// A Blossom server, which keeps files by their SHA-256.
public struct FileServer: Hashable, Sendable {
  /// The address in normal form, without a path.
  public let address: String
  /// The host in the address, in lower case and without a port.
  public let host: String

  public init(address: String, host: String) {
    self.address = address
    self.host = host
  }
}

// Uploads: docs/design/nostr.md#uploads.
extension NostrNetwork {
  /// The kind of events that authorize requests to Blossom servers (BUD-11).
  static let authorizationKind = 24_242
  /// For how many seconds an authorization holds.
  static let authorizationSeconds: Int64 = 600
  /// By how many seconds it is dated back: servers refuse events ahead of their clocks, which may be a little late.
  static let authorizationBackSeconds: Int64 = 10

  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization {
    guard !fileServers.isEmpty else {
      throw .unsupported("no server for files is configured. Set nostr.blossom in the configuration of batond and restart it")
    }
    guard let key = key(of: content) else { throw .unavailable(Self.noKey) }
    let now = now()
    let expiry = now + Self.authorizationSeconds
    var tags = [["t", "upload"], ["x", sha256], ["expiration", "\(expiry)"]]
    for server in fileServers where !tags.contains(["server", server.host]) { tags.append(["server", server.host]) }
    let event = NostrEvent(
      signedBy: key, createdAt: now - Self.authorizationBackSeconds, kind: Self.authorizationKind, tags: tags,
      content: "Upload a file of \(sizeBytes) bytes")
    guard let event else { throw .unavailable("the authorization of the upload could not be signed") }
    return UploadAuthorization(
      servers: fileServers.map(\.address), authorization: Self.field(event), expiresAt: Timestamp(seconds: expiry))
  }

  /// The value of the `Authorization` field. BUD-11 wants base64url without padding, earlier versions and their servers base64. Spaces at
  /// the end make the number of bytes one that needs no padding, and the text has no character for which the alphabets differ, so both are
  /// the same.
  static func field(_ event: NostrEvent) -> String {
    let text = event.text
    let spaces = String(repeating: " ", count: (3 - text.utf8.count % 3) % 3)
    return "Nostr " + Data((text + spaces).utf8).base64EncodedString()
  }
}
