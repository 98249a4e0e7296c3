internal import BatonClient
internal import Channels
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

// The image of a channel, for the pages that show it.
extension Pages {
  /// The longest data URL that a form may bring, in bytes.
  static let imageBytesMax = Channels.Profile.imageBytesMax

  func image(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channels.get(id: id) }
    guard let image = ChannelImage(of: channel) else {
      throw PageRefusal(
        status: .notFound, what: "No image", help: "The channel has no image, or you only follow it.")
    }
    return Response(
      status: .ok, headers: [.contentType: image.format.mediaType],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes)))
  }
}
