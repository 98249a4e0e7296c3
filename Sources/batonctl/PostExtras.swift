internal import ArgumentParser
internal import ControlAPI
internal import RelayNetwork

/// The options of a post besides its text.
struct PostExtras: ParsableArguments {
  @Option(help: "Person to mention, on Nostr an npub, an nprofile or a name such as bob@example.com (NIP-05). May be repeated.")
  var mention: [String] = []
  @Option(help: "Content warning for readers.") var warning: String?
  @Option(help: "Word under which readers find the post, without #. May be repeated.") var hashtag: [String] = []
  @Option(help: "Address of a file to attach, on SimpleX also file:///absolute/path. May be repeated.")
  var attach: [String] = []
  @Option(
    name: .customLong("attach-file"),
    help: """
      File to attach, uploaded on Nostr to the daemon's file servers (nostr.blossom). On SimpleX one file below the folder simplex.files, \
      which the chat core of this machine reads. May be repeated.
      """,
    completion: .file())
  var attachFile: [String] = []
  @Option(
    help: """
      Description of a file, for people who cannot see it: the first --alt is for the first --attach-file, and so on. '' for no description. \
      Not on SimpleX.
      """)
  var alt: [String] = []

  func validate() throws {
    guard alt.count <= attachFile.count else { throw ValidationError("Each --alt needs an --attach-file.") }
    let max = PostDraft.attachmentsMax
    guard attach.count + attachFile.count <= max else { throw ValidationError("A post can have at most \(max) files.") }
    // Otherwise the daemon would refuse it only after the file was uploaded.
    let altMax = PostDraft.Attachment.altTextBytesMax
    guard alt.allSatisfy({ $0.utf8.count <= altMax }) else { throw ValidationError("--alt can have at most \(altMax) bytes.") }
  }

  var showsFiles: Bool { !attach.isEmpty || !attachFile.isEmpty }
  var hashtags: [String]? { hashtag.isEmpty ? nil : hashtag }
}

/// The parts of a post besides its text, as the daemon receives them.
struct PostParts {
  let mentions: [String]?
  let attachments: [Attachment]?
}
