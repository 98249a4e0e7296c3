// Refusals that are about operators, servers, relays and identities.
extension RefusalSentence {
  /// An object that does not exist.
  /// - Parameters:
  ///   - kind: channel, relay, server, operator or identity.
  ///   - id: the id in the request, if it had one. `name` likewise.
  public static func noSuchObject(_ kind: String, id: Int64?, name: String?) -> Self {
    let named = [id.map { "with id \($0)" }, name.map { "named '\($0)'" }].compactMap(\.self).joined(separator: " ")
    return Self("there is no \(kind) \(named)", kind == "message" ? "See batonctl messages" : "See batonctl \(kind) list")
  }

  /// A name that several objects have.
  /// - Parameters:
  ///   - kind: channel, server or identity.
  ///   - ids: of objects that have the name.
  public static func ambiguousName(_ kind: String, _ name: String, ids: [Int64]) -> Self {
    Self(
      "more than one \(kind) is called '\(name)': \(ids.map { String($0) }.joined(separator: ", "))",
      "Use its id, for example id:\(ids.first ?? 1)")
  }

  /// A name that is not allowed.
  public static func invalidDisplayName(reason: String) -> Self { Self("invalid name: \(reason)") }

  /// A name that another object has.
  public static func duplicateName(_ name: String) -> Self { Self("the name '\(name)' is already in use", "Choose another") }

  /// A name or a key that another identity has.
  public static func duplicateIdentity(_ name: String) -> Self {
    Self("the identity '\(name)' already uses this name or key", "Choose another")
  }

  /// A text that is not a domain.
  public static func invalidDomain(_ domain: String, reason: String) -> Self {
    Self("'\(domain)' is not a valid domain: \(reason)")
  }

  /// A text that is not an address.
  /// - Parameter position: where it goes wrong, in characters from the start.
  public static func invalidAddress(_ address: String, reason: String, position: Int?) -> Self {
    Self("'\(address)' is not a valid address: \(reason)\(position.map { ", at character \($0 + 1)" } ?? "")")
  }

  /// An address that another object has.
  /// - Parameter kind: relay or server, or nil when that is not known.
  public static func duplicateAddress(_ kind: String?, id: Int64) -> Self {
    guard let kind else { return Self("this address is already in use by id \(id)") }
    return Self("this address is already in use by \(kind) \(id)")
  }

  /// A change that is based on an older revision.
  /// - Parameter object: the changed object, for example relay 7, or nil when that is not known.
  public static func staleRevision(of object: String?) -> Self {
    Self("someone else changed \(object ?? "it") at the same time", "Look at it and try again")
  }

  /// A field that can only be changed in a file.
  public static func declaredByFile(field: String, file: String) -> Self {
    Self("cannot change '\(field)' here: \(file) declares it", "Edit the file and run batonctl reload")
  }

  /// A change that would break the whole.
  /// - Parameter messages: what would be wrong.
  public static func validationFailed(_ messages: [String]) -> Self {
    Self(
      "this change would leave errors: \(messages.joined(separator: "; "))",
      "Nothing was changed. --force changes it anyway", after: ". ")
  }

  /// An operator that cannot be removed alone.
  public static func operatorInUse(servers: Int, relays: Int) -> Self {
    Self(
      "\(counted(servers, "server")) and \(counted(relays, "relay")) belong to this operator", "--force removes them as well")
  }

  /// A relay whose address cannot be changed.
  public static func relayInUse(channels: Int) -> Self {
    Self(
      "\(counted(channels, "channel")) \(channels == 1 ? "uses" : "use") this relay",
      "Its address cannot change, and only relay remove --force removes it. The channels keep it")
  }

  /// An identity that cannot be removed. Without channels it is main.
  public static func identityInUse(channels: Int) -> Self {
    guard channels > 0 else { return Self("the identity main cannot be removed") }
    return channels == 1
      ? Self("1 channel uses this identity", "Delete or unfollow it first")
      : Self("\(channels) channels use this identity", "Delete or unfollow them first")
  }

  /// A text that is not a valid secret key. The reason does not show it.
  public static func invalidKey(reason: String) -> Self { Self("invalid key: \(reason)") }

  /// A credential of the daemon without a secret key in it.
  public static func invalidCredential(_ credential: String, reason: String) -> Self {
    Self("invalid credential '\(credential)': \(reason)")
  }

  /// Files that are wrong.
  /// - Parameter problems: each with its file.
  public static func invalidConfiguration(_ problems: [String]) -> Self {
    Self(
      problems.joined(separator: "; "), inFull: "nothing was changed: \(problems.joined(separator: "\n  "))")
  }
}
