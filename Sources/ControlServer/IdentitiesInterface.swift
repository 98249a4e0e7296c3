internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Foundation
internal import Storage

/// `org.batond.Identities`.
struct IdentitiesInterface: IdentitiesService, ControlService {
  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  private func wire(_ rows: [IdentityRow]) async throws -> [Identity] {
    let counts = try await context.store.channelCounts(of: rows.map(\.id))
    return rows.map { Identity($0, channels: counts[$0.id] ?? 0) }
  }

  private func reply(_ row: IdentityRow) async throws -> IdentityReply {
    let counts = try await context.store.channelCounts(of: [row.id])
    return IdentityReply(identity: Identity(row, channels: counts[row.id] ?? 0))
  }

  func list(_ request: ListRequest, _ stream: ReplyStream<IdentitiesListReply>?) async throws -> IdentitiesListReply {
    try await ListQuery.answer(
      request, stream, fields: Self.fields, context, refusal: IdentitiesRefusal.self,
      reply: { IdentitiesListReply(identities: $0, nextCursor: $1, revision: $2) }
    ) {
      let revision = coordinator.hub.revision
      return (revision, try await wire(coordinator.identities))
    }
  }

  func get(_ request: IdentitiesGetRequest) async throws -> IdentityReply {
    guard let found = try request.only(of: coordinator.identities, id: \.id.rawValue, name: \.name) else {
      throw IdentitiesRefusal.noSuchIdentity(id: request.id, name: request.name)
    }
    // Each network has its own names, above all its own `main`.
    let others = coordinator.identities.filter { $0.name == found.name }
    guard request.id != nil || others.count == 1 else {
      throw IdentitiesRefusal.ambiguousName(name: found.name, identityIds: others.map(\.id.rawValue))
    }
    return try await reply(found)
  }

  func add(_ request: IdentitiesAddRequest) async throws -> IdentityReply {
    let secret = try request.credential.map { try Self.credential($0, in: context.credentials) }
    do {
      let row = try await coordinator.addIdentity(
        request.name, on: try NetworkKind(requested: request.network) ?? .nostr, secret: secret)
      return try await reply(row)
    } catch BatonError.invalidKey(let reason) {
      throw IdentitiesRefusal.invalidCredential(credential: request.credential ?? "", reason: reason)
    }
  }

  func remove(_ request: IdentitiesRemoveRequest) async throws -> IdentityReply {
    let id = request.id
    guard coordinator.identities.contains(where: { $0.id.rawValue == id }) else {
      throw IdentitiesRefusal.noSuchIdentity(id: id, name: nil)
    }
    let row = try await coordinator.removeIdentity(IdentityID(rawValue: id))
    return IdentityReply(identity: Identity(row, channels: 0))
  }

  static let fields = ListFields(of: Interfaces.identities, without: [])

  private static let credentialBytesMax = 4096
  /// The credential with the key for everything that is stored.
  private static let masterKey = "identity.key"

  /// The content that the service manager holds for the daemon under `credential`.
  private static func credential(_ credential: String, in folder: String?) throws(IdentitiesRefusal) -> String {
    func invalid(_ reason: String) -> IdentitiesRefusal { .invalidCredential(credential: credential, reason: reason) }
    let isName = credential.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard (1...255).contains(credential.utf8.count), isName, !credential.hasPrefix(".") else {
      throw invalid("a name of a credential has letters of ASCII, digits, - _ and . only")
    }
    guard credential.lowercased() != masterKey else {
      throw invalid("it is the key that encrypts all others, and no identity's")
    }
    guard let folder else {
      throw invalid("the daemon has no credentials: add LoadCredential=\(credential):FILE to its unit")
    }
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(credential)"), data.count <= credentialBytesMax else {
      throw invalid("the daemon has no such credential: add LoadCredential=\(credential):FILE to its unit")
    }
    return HumanText.line(String(decoding: data, as: UTF8.self))
  }
}

extension Identity {
  init(_ row: IdentityRow, channels: Int) {
    self.init(
      id: row.id.rawValue, name: row.name, network: row.network.rawValue, publicKey: row.publicName, channels: channels,
      createdAt: row.createdAt.text)
  }
}
