internal import StrictJSON

/// Takes private keys out of what the core says. Version 7.0 puts the signing keys of a channel into every mention of it
/// (docs/design/simplex.md#channels-in-a-core); Baton has no use for them and must not be the place where they leak.
enum CoreSecrets {
  /// `value` without the members, at any depth, that hold private keys or the hash of a password.
  static func removed(from value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      var kept: [String: JSONValue] = [:]
      kept.reserveCapacity(members.count)
      for (key, member) in members where !isSecret(key) { kept[key] = removed(from: member) }
      return .object(kept)
    case .array(let elements): return .array(elements.map(removed))
    case .null, .bool, .integer, .number, .string: return value
    }
  }

  /// `groupKeys`, `rootPrivKey`, `memberPrivKey`, whatever else is called a private key, and `viewPwdHash` of a user.
  static func isSecret(_ key: String) -> Bool {
    switch key {
    case "groupKeys", "groupRootKey", "rootPrivKey", "memberPrivKey", "viewPwdHash": true
    default: key.hasSuffix("PrivKey") || key.hasSuffix("PrivateKey")
    }
  }
}
