internal import Channels
internal import RelayNetwork
internal import StrictJSON

// The rules of the core. It refuses late, and leaves a queue behind each time, so Baton checks them first.
extension ChannelDocument {
  /// The size of one message to a relay in bytes (`maxEncodedMsgLength`). A change of the profile is one message.
  private static let messageBytesMax = 15_602
  /// How many bytes the message has besides the profile, including its signature.
  private static let messageBytesBeside = 300
  /// The size of the changeable part of the channel's link in bytes, before encryption.
  private static let linkBytesMax = 13_784
  /// How many bytes the link has besides the profile: a signature, the owner's key, and the links of up to eight relays.
  private static let linkBytesBeside = 1_184
  /// The size in bytes beyond which the core compresses the profile for the link (zstd).
  private static let unpackedBytesMax = 10_240
  /// How many bytes the core adds to the profile: the channel's public id and link.
  private static let addedBytes = 400

  /// The reason why the core refuses the profile, or `nil` if it accepts it. The rule for names is the core's own. The bound for the size
  /// is a safe estimate, because it is not known beforehand how far the core can compress a profile.
  var refusal: ProfileRefusal? {
    if let fault = CoreName.fault(in: profile.displayName) { return ProfileRefusal(.displayName, fault) }
    let picture = profile.image?.utf8.count ?? 0
    let bytes = put(into: CoreGroupProfile(name: "")).json.bytes.count + Self.addedBytes
    // Compression makes base64 smaller by a quarter. For text no ratio is certain.
    let inLink = bytes > Self.unpackedBytesMax ? bytes - picture * 23 / 100 : bytes
    let excess = max(
      bytes + Self.messageBytesBeside - Self.messageBytesMax, inLink + Self.linkBytesBeside - Self.linkBytesMax)
    guard excess > 0 else { return nil }
    let words = "with it the profile is \(excess) bytes larger than what SimpleX can show"
    if picture > 0 { return ProfileRefusal(.image, "\(words). Make it smaller, or the texts shorter") }
    let isName = profile.fullName?.utf8.count ?? 0 > profile.description?.utf8.count ?? 0
    return ProfileRefusal(isName ? .fullName : .description, "\(words). Make it shorter")
  }
}
