internal import StrictJSON

/// The core's findings in a list of servers and relays (`userServersValidation`, docs/design/simplex.md#the-cores-catalog).
public struct CoreServersValidation: Hashable, Sendable {
  /// Errors, for which the core refuses the list.
  public let errors: [Finding]
  /// Warnings, with which the core accepts the list.
  public let warnings: [Finding]

  /// One finding. `user` is the user that it concerns, or `nil` for the user whose list it is.
  public enum Finding: Hashable, Sendable {
    /// No enabled server of this protocol (`smp`, `xftp`) in an enabled group.
    case noServers(transport: String, user: CoreUser.ID?)
    /// No server of this protocol may store messages or files.
    case storageMissing(transport: String, user: CoreUser.ID?)
    /// No server of this protocol may forward.
    case proxyMissing(transport: String, user: CoreUser.ID?)
    /// Two servers share a host. The server is named without its password.
    case duplicateServer(transport: String, server: String, host: String)
    /// Two entries name the same relay.
    case duplicateRelay(name: String, address: String)
    /// No enabled relay in an enabled group.
    case noRelays(user: CoreUser.ID?)
    /// No message server may resolve names.
    case noNamesServers(user: CoreUser.ID?)
    /// Something unknown to this version of Baton.
    case unknown(tag: String)
  }
}

extension CoreServersValidation: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    errors = try reader.list("serverErrors")
    warnings = try reader.list("serverWarnings")
  }
}

extension CoreServersValidation.Finding: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    func user() throws(CoreShapeError) -> CoreUser.ID? { try reader.readIfPresent("user", as: CoreUser.self)?.id }
    let tag = try reader.string("type")
    switch tag {
    case "noServers": self = .noServers(transport: try reader.string("protocol"), user: try user())
    case "storageMissing": self = .storageMissing(transport: try reader.string("protocol"), user: try user())
    case "proxyMissing": self = .proxyMissing(transport: try reader.string("protocol"), user: try user())
    case "duplicateServer":
      self = .duplicateServer(
        transport: try reader.string("protocol"), server: CoreText.address(try reader.string("duplicateServer")),
        host: CoreText.bounded(try reader.string("duplicateHost")))
    case "duplicateChatRelayAddress":
      self = .duplicateRelay(
        name: CoreText.bounded(try reader.string("duplicateChatRelay")),
        address: CoreText.bounded(try reader.string("duplicateAddress")))
    case "noChatRelays": self = .noRelays(user: try user())
    case "noNamesServers": self = .noNamesServers(user: try user())
    default: self = .unknown(tag: CoreText.bounded(tag))
    }
  }
}

extension CoreServersValidation.Finding: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .noServers(let transport, _): "no enabled \(transport) server"
    case .storageMissing(let transport, _): "no \(transport) server may store"
    case .proxyMissing(let transport, _): "no \(transport) server may forward"
    case .duplicateServer(let transport, let server, let host): "two \(transport) servers share the host \(host): \(server)"
    case .duplicateRelay(let name, let address): "the relay \(name) is there twice: \(address)"
    case .noRelays: "no enabled chat relay"
    case .noNamesServers: "no server may keep names"
    case .unknown(let tag): tag
    }
  }
}
