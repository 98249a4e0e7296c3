internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Foundation
internal import Storage
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Identities`.
  static func identities(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let name = Interfaces.identities.name
    let all: @Sendable ([IdentityRow]) async throws -> [JSONValue] = { rows in
      let counts = try await context.store.channelCounts(of: rows.map(\.id))
      return try rows.map { try Identity($0, channels: counts[$0.id] ?? 0).json }
    }
    let reply: @Sendable (IdentityRow) async throws -> [String: JSONValue] = { row in
      ["identity": try await all([row]).first ?? .null]
    }
    return ControlInterface(
      definition: Interfaces.identities, context: context,
      methods: [
        "List": { call, stream in
          try await ListQuery.answer(call, stream, "identities", fields: identityFields, context, interface: name) {
            let revision = coordinator.hub.revision
            return (revision, try await all(coordinator.identities))
          }
        },
        "Get": { call, _ in
          let naming = try call.decode(Naming.self)
          guard let found = try naming.only(of: coordinator.identities, id: \.id.rawValue, name: \.name) else {
            throw naming.none("\(name).NoSuchIdentity")
          }
          // Each network has its own names, above all its own main.
          let others = coordinator.identities.filter { $0.name == found.name }
          guard naming.id != nil || others.count == 1 else {
            throw VarlinkError(
              "\(name).AmbiguousName",
              ["name": .string(found.name), "identityIds": .array(others.map { .integer($0.id.rawValue) })])
          }
          return try await reply(found)
        },
        "Add": { call, _ in
          struct Request: Decodable { let name: String, network: String?, credential: String? }
          let request = try call.decode(Request.self)
          let secret = try request.credential.map { try credential($0, in: context.credentials, name) }
          do {
            let row = try await coordinator.addIdentity(
              request.name, on: try network(request.network) ?? .nostr, secret: secret)
            return try await reply(row)
          } catch BatonError.invalidKey(let reason) {
            throw invalid(request.credential ?? "", reason, name)
          }
        },
        "Remove": { call, _ in
          struct Request: Decodable { let id: Int64 }
          let id = try call.decode(Request.self).id
          guard coordinator.identities.contains(where: { $0.id.rawValue == id }) else {
            throw VarlinkError("\(name).NoSuchIdentity", ["id": .integer(id)])
          }
          let row = try await coordinator.removeIdentity(IdentityID(rawValue: id))
          return ["identity": try Identity(row, channels: 0).json]
        },
      ])
  }

  static let identityFields = ListFields(of: Interfaces.identities, without: [])

  private static let credentialBytesMax = 4096
  /// The credential with the key for everything that is stored.
  private static let masterKey = "identity.key"

  private static func invalid(_ credential: String, _ reason: String, _ interface: String) -> VarlinkError {
    VarlinkError("\(interface).InvalidCredential", ["credential": .string(credential), "reason": .string(reason)])
  }

  /// What the service manager holds for the daemon under `credential`.
  private static func credential(_ credential: String, in folder: String?, _ interface: String) throws -> String {
    let isName = credential.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard (1...255).contains(credential.utf8.count), isName, !credential.hasPrefix(".") else {
      throw invalid(credential, "a name of a credential has letters of ASCII, digits, - _ and . only", interface)
    }
    guard credential.lowercased() != masterKey else {
      throw invalid(credential, "it is the key that encrypts all others, and no identity's", interface)
    }
    guard let folder else {
      throw invalid(credential, "the daemon has no credentials: say LoadCredential=\(credential):FILE in its unit", interface)
    }
    guard let data = FileManager.default.contents(atPath: "\(folder)/\(credential)"), data.count <= credentialBytesMax else {
      throw invalid(
        credential, "the daemon has no such credential: say LoadCredential=\(credential):FILE in its unit", interface)
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension Identity {
  init(_ row: IdentityRow, channels: Int) {
    self.init(
      id: row.id.rawValue, name: row.name, network: row.network.rawValue, publicKey: row.publicKey, channels: channels,
      createdAt: row.createdAt.text)
  }
}
