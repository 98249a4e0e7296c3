internal import BatonClient
internal import Channels
internal import ControlAPI
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The image in a profile, which is a data URL (RFC 2397) there, as a file of its own. Images of channels that belong to others are not
/// shown: what they weigh once they are decoded is up to whoever runs the channel.
struct ChannelImage: Equatable {
  /// The media type, one of those that browsers show without running anything in them.
  let type: String
  let bytes: [UInt8]

  /// - Returns: `nil` if the channel has no image that is shown.
  init?(of channel: ControlAPI.Channel) {
    guard channel.owned, let image = channel.profile.image else { return nil }
    self.init(image)
  }

  /// - Returns: `nil` if the text is not such an image.
  init?(_ url: String) {
    guard let (type, content) = Self.parts(url), let bytes = Data(base64Encoded: String(content)) else { return nil }
    self.type = type
    self.bytes = Array(bytes)
  }

  private static func parts(_ url: String) -> (type: String, content: Substring)? {
    let types = ["image/png": "image/png", "image/jpeg": "image/jpeg", "image/jpg": "image/jpeg", "image/webp": "image/webp"]
    guard url.hasPrefix("data:"), let mark = url.firstRange(of: ";base64,"),
      let type = types[String(url[url.index(url.startIndex, offsetBy: 5)..<mark.lowerBound])]
    else { return nil }
    return (type, url[mark.upperBound...])
  }

  /// The address of a channel's image below the root, another one for each edition; `nil` if it has none that is shown.
  static func address(_ channel: ControlAPI.Channel) -> String? {
    guard channel.owned, let image = channel.profile.image, parts(image) != nil else { return nil }
    return "channels/\(channel.id)/image?edition=\(channel.edition)"
  }
}

extension Pages {
  /// The longest data URL that a form may bring, in bytes.
  static let imageBytesMax = Channels.Profile.imageBytesMax

  func image(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    let channel = try await daemon.ask { try await $0.channel(id: id) }
    guard let image = ChannelImage(of: channel) else {
      throw PageRefusal(
        status: .notFound, what: "There is no image", help: "The channel has none, or belongs to somebody else.")
    }
    return Response(
      status: .ok, headers: [.contentType: image.type], body: ResponseBody(byteBuffer: ByteBuffer(bytes: image.bytes)))
  }
}
