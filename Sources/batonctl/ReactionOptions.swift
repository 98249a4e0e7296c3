internal import ArgumentParser
internal import ControlAPI

/// A reaction on the command line.
struct ReactionOptions: ParsableArguments {
  @Argument(help: "The reaction.") var reaction: String
  @Option(name: .customLong("emoji-url"), help: "The address of the picture, if the reaction is :shortcode:.")
  var emojiURL: String?
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same reaction."
  )
  var key: String?
  @Option(help: "Wait until all relays are settled, readers find the reaction at any, or none.")
  var wait: ChannelCreate.Wait = .any

  func validate() throws {
    guard !reaction.isEmpty else { throw ValidationError("Write a reaction: +, - or an emoji.") }
    guard (emojiURL != nil) == (shortcode != nil) else {
      throw ValidationError("A reaction like :shortcode: needs the address of its picture, --emoji-url; no other has one.")
    }
  }

  /// The picture, if there is one.
  var emoji: Emoji? {
    guard let shortcode, let emojiURL else { return nil }
    return Emoji(shortcode: shortcode, url: emojiURL)
  }

  /// What stands between the colons; `nil` if the reaction is no shortcode.
  private var shortcode: String? {
    guard reaction.utf8.count > 2, reaction.hasPrefix(":"), reaction.hasSuffix(":") else { return nil }
    return String(reaction.dropFirst().dropLast())
  }
}
