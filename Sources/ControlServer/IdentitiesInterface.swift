internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Foundation
internal import Store
internal import StrictJSON
internal import Varlink

extension ControlInterface {
  /// `org.batond.Identities`.
  static func identities(_ context: ControlContext) -> ControlInterface {
    let coordinator = context.coordinator
    let name = Interfaces.identities.name
    let wire: @Sendable (IdentityRow) throws -> JSONValue = { row in
      let identity = Identity(row, channels: try context.store.channelCount(of: row.id))
      return .object(try identity.members)
    }
    return ControlInterface(
      definition: Interfaces.identities, context: context,
      methods: [
        "List": { call, stream in
          try await ListQuery.answer(call, stream, "identities", fields: identityFields, context, interface: name) {
            let revision = coordinator.hub.revision
            return (revision, try coordinator.identities.map(wire))
          }
        },
        "Get": { call, _ in
          struct Request: Decodable { let id: Int64?, name: String? }
          let request = try call.decode(Request.self)
          guard request.id != nil || request.name != nil else { throw VarlinkError.invalidParameter("id") }
          let found = coordinator.identities.first { row in
            request.id.map { row.id.rawValue == $0 } ?? (row.name == request.name)
          }
          guard let found else {
            var parameters: [String: JSONValue] = [:]
            parameters["id"] = request.id.map(JSONValue.integer)
            parameters["name"] = request.name.map(JSONValue.string)
            throw VarlinkError("\(name).NoSuchIdentity", parameters)
          }
          return ["identity": try wire(found)]
        },
        "Add": { call, _ in
          struct Request: Decodable { let name: String, network: String?, credential: String? }
          let request = try call.decode(Request.self)
          let secret = try request.credential.map { try credential($0, name) }
          do {
            let row = try await coordinator.addIdentity(
              request.name, on: try network(request.network) ?? .nostr, secret: secret)
            return ["identity": try wire(row)]
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

  private static let identityFields: Set<String> = ["id", "name", "network", "publicKey", "channels", "createdAt"]

  private static let credentialBytesMax = 4096

  private static func invalid(_ credential: String, _ reason: String, _ interface: String) -> VarlinkError {
    VarlinkError("\(interface).InvalidCredential", ["credential": .string(credential), "reason": .string(reason)])
  }

  /// What the service manager holds for the daemon under `credential`.
  private static func credential(_ credential: String, _ interface: String) throws -> String {
    guard (1...255).contains(credential.utf8.count), !credential.contains("/"), !credential.hasPrefix(".") else {
      throw invalid(credential, "it is no name of a credential", interface)
    }
    guard let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] else {
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
