// Refusals that are about operators, servers, relays and identities.
extension RefusalSentence {
  /// Something that is not there.
  /// - Parameters:
  ///   - kind: channel, relay, server, operator or identity.
  ///   - id: what it was asked for by; likewise `name`.
  public static func noSuchObject(_ kind: String, id: Int64?, name: String?) -> Self {
    let named = [id.map { "with id \($0)" }, name.map { "named '\($0)'" }].compactMap(\.self).joined(separator: " ")
    return Self("there is no \(kind) \(named)", kind == "message" ? "see batonctl messages" : "see batonctl \(kind) list")
  }

  /// A name that several objects have.
  /// - Parameter ids: of objects that have the name.
  public static func ambiguousName(_ name: String, ids: [Int64]) -> Self {
    Self(
      "'\(name)' is the name of several: \(ids.map { String($0) }.joined(separator: ", "))",
      "say which, for example id:\(ids.first ?? 1)")
  }

  /// A name that is not allowed.
  public static func invalidDisplayName(reason: String) -> Self { Self("the name cannot be used: \(reason)") }

  /// A name that something else has.
  public static func duplicateName(_ name: String) -> Self { Self("the name '\(name)' is in use already", "choose another") }

  /// A name or a key that another identity has.
  public static func duplicateIdentity(_ name: String) -> Self {
    Self("the identity '\(name)' has this name or this key already", "choose another")
  }

  /// A text that is not a domain.
  public static func invalidDomain(_ domain: String, reason: String) -> Self { Self("'\(domain)' cannot be used: \(reason)") }

  /// A text that is not an address.
  /// - Parameter position: where it goes wrong, in characters from the start.
  public static func invalidAddress(_ address: String, reason: String, position: Int?) -> Self {
    Self("'\(address)' cannot be used: \(reason)\(position.map { ", at character \($0 + 1)" } ?? "")")
  }

  /// An address that something else has.
  /// - Parameter kind: relay or server; nil when that is not known.
  public static func duplicateAddress(_ kind: String?, id: Int64) -> Self {
    guard let kind else { return Self("there is one with this address already: id \(id)") }
    return Self("there is a \(kind) with this address already: \(kind) \(id)")
  }

  /// A change that is based on an older revision.
  /// - Parameter object: what was changed, for example relay 7; nil when that is not known.
  public static func staleRevision(of object: String?) -> Self {
    Self("\(object ?? "it") was changed by somebody else at the same time", "look at it and try again")
  }

  /// A field that can only be changed in a file.
  public static func declaredByFile(field: String, file: String) -> Self {
    Self("its \(field) is declared in \(file)", "change it there and run batonctl reload", after: ": ")
  }

  /// A change that would break the whole.
  /// - Parameter messages: what would be wrong.
  public static func validationFailed(_ messages: [String]) -> Self {
    Self(
      "nothing was changed, because the result would have errors: \(messages.joined(separator: "; "))", "--force ignores them",
      after: ". ")
  }

  /// An operator that cannot be removed alone.
  public static func operatorInUse(servers: Int, relays: Int) -> Self {
    Self("\(counted(servers, "server")) and \(counted(relays, "relay")) belong to this operator", "--force removes them too")
  }

  /// A relay whose address cannot be changed.
  public static func relayInUse(channels: Int) -> Self {
    Self(
      "\(counted(channels, "channel")) \(channels == 1 ? "uses" : "use") this relay",
      "its address stays; relay remove --force removes it, but not from your channels", after: ": ")
  }

  /// An identity that cannot be removed; without channels it is main.
  public static func identityInUse(channels: Int) -> Self {
    guard channels > 0 else { return Self("the identity main always stays") }
    return channels == 1
      ? Self("1 channel belongs to this identity, or is read for it", "delete or unfollow it first")
      : Self("\(channels) channels belong to this identity, or are read for it", "delete or unfollow them first")
  }

  /// A text that is not a valid secret key. The reason does not show it.
  public static func invalidKey(reason: String) -> Self { Self("the key cannot be used: \(reason)") }

  /// A credential of the daemon without a secret key in it.
  public static func invalidCredential(_ credential: String, reason: String) -> Self {
    Self("the credential '\(credential)' cannot be used: \(reason)")
  }

  /// Files that are wrong.
  /// - Parameter problems: each with its file.
  public static func invalidConfiguration(_ problems: [String]) -> Self {
    Self(
      problems.joined(separator: "; "), inFull: "everything stays as it was: \(problems.joined(separator: "\n  "))")
  }
}
