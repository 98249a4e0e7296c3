public import RelayNetwork

extension SimpleXNetwork {
  /// The core uploads files itself.
  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization {
    throw .unsupported(
      "the chat core uploads files of posts itself. Attach a file below simplex.files as file:///absolute/path, or the address of a file "
        + "that is on the web")
  }
}
