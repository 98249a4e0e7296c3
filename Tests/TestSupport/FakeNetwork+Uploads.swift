internal import Channels
public import RelayNetwork

extension FakeNetwork {
  /// Two servers; none for files of 13 bytes.
  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization {
    if sizeBytes == 13 { throw .unsupported("no server for files is configured") }
    return UploadAuthorization(
      servers: ["https://a.example", "https://b.example"], authorization: "Fake \(content.networkID) \(sha256) \(sizeBytes)",
      expiresAt: Timestamp(milliseconds: 1_750_000_000_000))
  }
}
