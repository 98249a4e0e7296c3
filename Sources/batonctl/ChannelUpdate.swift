internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct ChannelUpdate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Changes what readers see of a channel, and what is stored with it.",
    discussion: """
      Every active relay gets a new name, description or image at once; a relay that is away gets it when it is back. \
      batonctl channel show says which relays show it already.
      """)

  enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Option(help: "Its new name.") var name: String?
  @Option(name: .customLong("full-name"), help: "Its new longer name; '' removes it.") var fullName: String?
  @Option(help: "What it is about; '' removes it.") var description: String?
  @Option(help: "A PNG, JPEG or WebP file.", completion: .file()) var image: String?
  @Flag(name: .customLong("no-image"), help: "Remove the image.") var noImage = false
  @Option(help: "Whether relays that fail for good are replaced.") var heal: Switch?
  @Option(help: "KEY=VALUE to store with the channel, KEY= to remove it; may be repeated.") var custom: [String] = []

  func validate() throws {
    guard image == nil || !noImage else { throw ValidationError("--image and --no-image exclude each other.") }
    _ = try CustomData(custom)
    guard name != nil || fullName != nil || description != nil || image != nil || noImage || heal != nil || !custom.isEmpty
    else { throw ValidationError("Say what to change, for example --name or --description.") }
  }

  func run() async throws {
    try await global.connected { session in
      let picture = noImage ? "" : try image.map(ImageFile.dataURL)
      let id = try await session.channel(channel).id
      let changed = try await session.changing {
        // The present channel: its custom data is sent back with the changes.
        try await session.raw.channel(id: id)
      } _: {
        try await session.client.updateChannel(
          UpdateChannel(
            id: $0.id, revision: custom.isEmpty ? nil : $0.revision, displayName: name, fullName: fullName,
            description: description, image: picture,
            heal: heal.map { $0 == .on }, custom: data(with: $0.custom)))
      }
      try await session.showDetails(of: changed)
    }
  }

  private func data(with present: JSONValue?) throws -> JSONValue? {
    guard !custom.isEmpty else { return nil }
    var members = present?.object ?? [:]
    for (key, value) in try CustomData(custom).members { members[key] = value.isEmpty ? nil : .string(value) }
    return .object(members)
  }
}
