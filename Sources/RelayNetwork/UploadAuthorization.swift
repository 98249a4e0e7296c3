public import Channels

/// The servers for the upload of one file, and the authorization that a client shows them.
public struct UploadAuthorization: Hashable, Sendable {
  /// The addresses of the servers, best first.
  public let servers: [String]
  /// The value of the `Authorization` field of HTTP. It is good for this file at these servers until `expiresAt`, and for nothing else.
  public let authorization: String
  public let expiresAt: Timestamp

  public init(servers: [String], authorization: String, expiresAt: Timestamp) {
    self.servers = servers
    self.authorization = authorization
    self.expiresAt = expiresAt
  }
}

extension RelayNetwork {
  /// Most networks have no servers for files.
  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization {
    throw .unsupported("this network has no file servers. Attach the address of a file that is on the web")
  }
}
