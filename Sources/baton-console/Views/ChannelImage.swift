internal import Channels
internal import ControlAPI
internal import Foundation

/// The image in a profile, which is a data URL, as a separate file. Images of followed channels are not shown, because their owners decide
/// how large they are when decoded.
struct ChannelImage {
  let format: ImageFormat
  let bytes: [UInt8]

  /// - Returns: `nil` if the channel has no image that is shown.
  init?(of channel: ControlAPI.Channel) {
    guard let (format, base64) = Self.parts(of: channel), let bytes = Data(base64Encoded: String(base64)) else { return nil }
    self.format = format
    self.bytes = Array(bytes)
  }

  /// The address of a channel's image below the root, which differs for each edition, or `nil` without an image that is shown.
  static func address(_ channel: ControlAPI.Channel) -> String? {
    parts(of: channel).map { _ in "channels/\(channel.id)/image?edition=\(channel.edition)" }
  }

  private static func parts(of channel: ControlAPI.Channel) -> (format: ImageFormat, base64: Substring)? {
    guard channel.owned, let image = channel.profile.image else { return nil }
    return ImageFormat.parts(ofDataURL: image)
  }
}
