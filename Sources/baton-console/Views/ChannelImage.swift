internal import Channels
internal import ControlAPI
internal import Foundation

/// The image in a profile, which is a data URL there, as a file of its own. Images of channels that belong to others are not shown: what
/// they weigh once they are decoded is up to whoever runs the channel.
struct ChannelImage {
  let format: ImageFormat
  let bytes: [UInt8]

  /// - Returns: `nil` if the channel has no image that is shown.
  init?(of channel: ControlAPI.Channel) {
    guard let (format, base64) = Self.parts(of: channel), let bytes = Data(base64Encoded: String(base64)) else { return nil }
    self.format = format
    self.bytes = Array(bytes)
  }

  /// The address of a channel's image below the root, another one for each edition; `nil` if it has none that is shown.
  static func address(_ channel: ControlAPI.Channel) -> String? {
    parts(of: channel).map { _ in "channels/\(channel.id)/image?edition=\(channel.edition)" }
  }

  private static func parts(of channel: ControlAPI.Channel) -> (format: ImageFormat, base64: Substring)? {
    guard channel.owned, let image = channel.profile.image else { return nil }
    return ImageFormat.parts(ofDataURL: image)
  }
}
