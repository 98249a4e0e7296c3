internal import ControlAPI

/// Methods with the permission that a caller needs for each. A method without a permission does not compile.
protocol GuardedMethod: InterfaceMethod {
  /// The permission that its caller needs.
  var permission: Access.Permission { get }
}

extension OperatorsMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get, .validate: .read
    case .add, .update, .remove: .change
    }
  }
}

extension ServersMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get: .read
    case .add, .update, .remove, .test: .change
    }
  }
}

extension RelaysMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get: .read
    case .add, .update, .remove, .test: .change
    }
  }
}

extension IdentitiesMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get: .read
    case .add, .remove: .change
    }
  }
}

extension ChannelsMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .get, .list, .link, .transitions: .read
    case .create, .retryRelay, .update, .addRelays, .removeRelay, .verify, .delete: .change
    }
  }
}

extension PostsMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .get, .list, .watch, .transitions: .read
    case .publish, .edit, .delete, .retry, .cancel: .change
    }
  }
}

extension MonitorMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .watch: .read
    }
  }
}

extension DaemonMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .status, .metrics: .read
    case .reload: .change
    // A copy of the database holds sealed secrets, and a check of it keeps the disk busy for a while.
    case .backup, .check: .change
    }
  }
}

extension ServiceMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .ping, .getLogLevel: .read
    case .reload, .setLogLevel: .change
    }
  }
}
