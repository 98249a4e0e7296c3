public import Channels
internal import StrictJSON

// The roles of servers, as far as the core gives them (`ServerRoles`, docs/design/simplex.md#the-cores-catalog).

extension CoreOperator {
  /// The roles of its message servers.
  public var messageRoles: ServerRoles.Override { .init(core: members["smpRoles"]) }

  /// The roles of its file servers.
  public var fileRoles: ServerRoles.Override { .init(core: members["xftpRoles"]) }
}

extension CoreServer {
  /// The deviations from the roles of its operator.
  public var roles: ServerRoles.Override { .init(core: members["roles"]) }
}

extension ServerRoles.Override {
  fileprivate init(core value: JSONValue?) {
    self.init(storage: value?["storage"]?.bool, proxy: value?["proxy"]?.bool, names: value?["names"]?.bool)
  }
}
