internal import Channels
internal import RelayNetwork
internal import StrictJSON

// What the core refuses. It refuses late, and leaves a queue behind each time.
extension ChannelDocument {
  /// Bytes of one message to a relay (`maxEncodedMsgLength`); a change of the profile is one.
  private static let messageBytesMax = 15_602
  /// Bytes that the message has beside the profile, its signature among them.
  private static let messageBytesBeside = 300
  /// Bytes of the part of the channel's link that can change, before it is encrypted.
  private static let linkBytesMax = 13_784
  /// Bytes that the link has beside the profile: a signature, the owner's key, and the links of up to eight relays.
  private static let linkBytesBeside = 1_184
  /// From more bytes on the core packs the profile for the link (zstd).
  private static let unpackedBytesMax = 10_240
  /// Bytes that the core adds to the profile: the channel's own name and link.
  private static let addedBytes = 400

  /// Why the core does not take the profile; nil: it does. The rule for names is the core's own; the bound for the size is a safe guess,
  /// because nobody knows before how small the core packs a profile.
  var refusal: ProfileRefusal? {
    if let fault = CoreName.fault(in: profile.displayName) { return ProfileRefusal(.displayName, fault) }
    let picture = profile.image?.utf8.count ?? 0
    let bytes = put(into: CoreGroupProfile(name: "")).json.bytes.count + Self.addedBytes
    // Packing makes base64 smaller by a quarter; on text nobody can rely.
    let inLink = bytes > Self.unpackedBytesMax ? bytes - picture * 23 / 100 : bytes
    let excess = max(
      bytes + Self.messageBytesBeside - Self.messageBytesMax, inLink + Self.linkBytesBeside - Self.linkBytesMax)
    guard excess > 0 else { return nil }
    let words = "with it the profile is \(excess) bytes larger than what SimpleX can show"
    if picture > 0 { return ProfileRefusal(.image, "\(words); make it smaller, or the texts shorter") }
    let isName = profile.fullName?.utf8.count ?? 0 > profile.description?.utf8.count ?? 0
    return ProfileRefusal(isName ? .fullName : .description, "\(words); make it shorter")
  }
}
