public import Channels
internal import StrictJSON

// What servers may do, as far as the core says (`ServerRoles`, docs/design/simplex.md#the-cores-catalog).

extension CoreOperator {
  /// What its message servers may do.
  public var messageRoles: ServerRoles.Override { .init(core: members["smpRoles"]) }

  /// What its file servers may do.
  public var fileRoles: ServerRoles.Override { .init(core: members["xftpRoles"]) }
}

extension CoreServer {
  /// Where it differs from the roles of its operator.
  public var roles: ServerRoles.Override { .init(core: members["roles"]) }
}

extension ServerRoles.Override {
  fileprivate init(core value: JSONValue?) {
    self.init(storage: value?["storage"]?.bool, proxy: value?["proxy"]?.bool, names: value?["names"]?.bool)
  }
}
