internal import StrictJSON

/// Removes private keys from messages of the core. Version 7.0 puts the signing keys of a channel into every mention of it
/// (docs/design/simplex.md#channels-in-a-core). Baton does not need them and must not leak them.
enum CoreSecrets {
  /// `value` without the members, at any depth, that contain private keys or the hash of a password.
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

  /// Whether a member is secret: `groupKeys`, `rootPrivKey`, `memberPrivKey`, any other with a private key in its name, and `viewPwdHash`
  /// of a user.
  static func isSecret(_ key: String) -> Bool {
    switch key {
    case "groupKeys", "groupRootKey", "rootPrivKey", "memberPrivKey", "viewPwdHash": true
    default: key.hasSuffix("PrivKey") || key.hasSuffix("PrivateKey")
    }
  }
}
