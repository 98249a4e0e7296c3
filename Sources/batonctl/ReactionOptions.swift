internal import ArgumentParser
internal import ControlAPI

/// A reaction on the command line.
struct ReactionOptions: ParsableArguments {
  @Argument(help: "Reaction: +, -, an emoji or :shortcode:.") var reaction: String
  @Option(name: .customLong("emoji-url"), help: "Address of the picture of :shortcode:.")
  var emojiURL: String?
  @Option(
    name: .customLong("idempotency-key"), help: "Key for safe retries: repeating the command with it returns the same reaction."
  )
  var key: String?
  @Option(help: "When to return: all relays settled, readers find the reaction at any relay, or none (do not wait).")
  var wait: ChannelCreate.Wait = .any

  func validate() throws {
    guard !reaction.isEmpty else { throw ValidationError("Write a reaction: +, - or an emoji.") }
    guard (emojiURL != nil) == (shortcode != nil) else {
      throw ValidationError("--emoji-url is for :shortcode: reactions, which need it.")
    }
  }

  /// The picture, if there is one.
  var emoji: Emoji? {
    guard let shortcode, let emojiURL else { return nil }
    return Emoji(shortcode: shortcode, url: emojiURL)
  }

  /// The text between the colons, or `nil` if the reaction is not a shortcode.
  private var shortcode: String? {
    guard reaction.utf8.count > 2, reaction.hasPrefix(":"), reaction.hasSuffix(":") else { return nil }
    return String(reaction.dropFirst().dropLast())
  }
}
