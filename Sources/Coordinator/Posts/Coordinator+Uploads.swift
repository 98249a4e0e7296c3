public import Channels
public import RelayNetwork
internal import Storage

extension Coordinator {
  /// Lets a client upload a file for a post of the channel. Nothing is stored.
  /// - Parameters:
  ///   - sha256: 64 lower-case hexadecimal digits.
  ///   - sizeBytes: at least 1.
  public func authorizeUpload(
    sha256: String, sizeBytes: Int64, in channel: ChannelID
  ) async throws(BatonError) -> UploadAuthorization {
    let channel = try await ownChannel(channel)
    let network = try network(of: channel)
    do throws(PostFailure) {
      return try network.authorizeUpload(sha256: sha256, sizeBytes: sizeBytes, in: channel.row.content)
    } catch {
      throw BatonError(error, on: network.kind)
    }
  }
}
