public import RelayNetwork

extension SimpleXNetwork {
  /// Files in channels are in the hands of file servers (XFTP), which keep them for two days.
  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization {
    throw .unsupported(
      "its file servers (XFTP) drop files after about 48 hours, so nothing is uploaded; attach the address of a file that is on the web"
    )
  }
}
