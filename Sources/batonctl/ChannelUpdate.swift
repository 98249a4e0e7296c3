internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

struct ChannelUpdate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change a channel's profile and settings",
    discussion: """
      Active relays receive a new name, description or image immediately, other relays as soon as they are back. batonctl \
      channel show shows which relays have it.

      Example:
        batonctl channel update "City News" --description "News at nine"
      """)

  enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String
  @Option(help: "New name.") var name: String?
  @Option(name: .customLong("full-name"), help: "New longer name; '' removes it.") var fullName: String?
  @Option(help: "New description; '' removes it.") var description: String?
  @Option(help: "New image, a PNG, JPEG or WebP file.", completion: .file()) var image: String?
  @Flag(name: .customLong("no-image"), help: "Remove the image.") var noImage = false
  @Option(help: "Replacement of relays that fail for good: on or off.") var heal: Switch?
  @Option(help: "KEY=VALUE to store with the channel, KEY= to remove it. May be repeated.") var custom: [String] = []

  func validate() throws {
    guard image == nil || !noImage else { throw ValidationError("--image and --no-image cannot be combined.") }
    _ = try CustomData(custom)
    guard name != nil || fullName != nil || description != nil || image != nil || noImage || heal != nil || !custom.isEmpty
    else { throw ValidationError("Name a change, such as --name or --description.") }
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
