internal import ArgumentParser
internal import ControlAPI

/// What a post may have beside its text.
struct PostExtras: ParsableArguments {
  @Option(help: "The public name of somebody whom the post mentions, on Nostr an npub; may be repeated.")
  var mention: [String] = []
  @Option(help: "Why readers may prefer not to look.") var warning: String?
  @Option(help: "A word under which the post is found, without #; may be repeated.") var hashtag: [String] = []
  @Option(help: "The address of a file that the post shows; may be repeated.") var attach: [String] = []

  var mentions: [String]? { mention.isEmpty ? nil : mention }
  var hashtags: [String]? { hashtag.isEmpty ? nil : hashtag }
  var attachments: [Attachment]? { attach.isEmpty ? nil : attach.map { Attachment(url: $0) } }
}
