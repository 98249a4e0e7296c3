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
    case .list, .counts, .figures: .read
    // A publisher who tries a post again on one relay names it.
    case .get: .readPosts
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
    case .get, .list, .link: .readPosts
    case .transitions, .counts: .read
    case .create, .follow, .unfollow, .retryRelay, .update, .addRelays, .removeRelay, .verify, .delete: .change
    case .setMuted, .setPinned, .setFollowing, .setFrozen, .setHidden, .truncate: .change
    }
  }
}

extension PostsMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .get, .list, .watch, .transitions, .export, .getRetention: .readPosts
    case .publish, .release, .edit, .delete, .retry, .cancel, .adopt, .authorizeUpload: .publish
    case .react, .pin, .unpin: .publish
    case .setRetention, .remove, .report: .change
    }
  }
}

extension MessagesMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get, .search, .inbox, .watch: .read
    // Read marks belong to the channel owner, and relays are asked.
    case .markRead, .markUnread, .setHidden, .setPinned, .sync, .searchRelays: .change
    }
  }
}

extension MembersMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .watch: .read
    case .add, .setRole, .remove, .decline, .ban, .unban: .change
    }
  }
}

extension PeopleMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .list, .get: .read
    case .setMuted: .change
    }
  }
}

extension MonitorMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .watch, .transitions, .healthChanges: .read
    }
  }
}

extension DaemonMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .status, .permissions: .readPosts
    case .metrics, .cluster: .read
    case .reload: .change
    // A copy of the database holds sealed secrets, and a check of it keeps the disk busy for a while.
    case .backup, .check, .drain: .change
    }
  }
}

extension ServiceMethod: GuardedMethod {
  var permission: Access.Permission {
    switch self {
    case .ping: .readPosts
    case .getLogLevel: .read
    case .reload, .setLogLevel: .change
    }
  }
}
