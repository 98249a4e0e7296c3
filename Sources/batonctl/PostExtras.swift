internal import ArgumentParser
internal import ControlAPI
internal import RelayNetwork

/// What a post may have beside its text.
struct PostExtras: ParsableArguments {
  @Option(
    help: """
      Someone whom the post mentions, on Nostr an npub, an nprofile or a name at a domain such as bob@example.com (NIP-05); may be \
      repeated.
      """)
  var mention: [String] = []
  @Option(help: "Content warning for readers.") var warning: String?
  @Option(help: "A word under which the post is found, without #; may be repeated.") var hashtag: [String] = []
  @Option(help: "The address of a file that the post shows, on SimpleX also file:///absolute/path; may be repeated.")
  var attach: [String] = []
  @Option(
    name: .customLong("attach-file"),
    help: """
      A file that the post shows, on Nostr uploaded to the daemon's servers for files (nostr.blossom); may be repeated. On SimpleX it is one \
      file below the folder of simplex.files, which the chat core of this machine reads.
      """,
    completion: .file())
  var attachFile: [String] = []
  @Option(
    help: """
      What a file shows, for those who cannot see it: the first --alt is for the first --attach-file, and so on; an empty one is none. \
      SimpleX shows none.
      """)
  var alt: [String] = []

  func validate() throws {
    guard alt.count <= attachFile.count else { throw ValidationError("There are more --alt than --attach-file.") }
    let max = PostDraft.attachmentsMax
    guard attach.count + attachFile.count <= max else { throw ValidationError("A post shows at most \(max) files.") }
    // Otherwise the daemon would say so when the file is uploaded already.
    let altMax = PostDraft.Attachment.altTextBytesMax
    guard alt.allSatisfy({ $0.utf8.count <= altMax }) else { throw ValidationError("An --alt has at most \(altMax) bytes.") }
  }

  var showsFiles: Bool { !attach.isEmpty || !attachFile.isEmpty }
  var hashtags: [String]? { hashtag.isEmpty ? nil : hashtag }
}

/// What a post has beside its text, as the daemon gets it.
struct PostParts {
  let mentions: [String]?
  let attachments: [Attachment]?
}
