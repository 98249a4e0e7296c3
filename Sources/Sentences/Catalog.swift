// Refusals that are about operators, servers, relays and identities.
extension RefusalSentence {
  /// - Parameters:
  ///   - kind: channel, relay, server, operator or identity.
  ///   - id: what it was asked for by; likewise `name`.
  public static func noSuchObject(_ kind: String, id: Int64?, name: String?) -> Self {
    let named = [id.map { "with id \($0)" }, name.map { "named '\($0)'" }].compactMap(\.self).joined(separator: " ")
    return Self("there is no \(kind) \(named)", "see batonctl \(kind) list")
  }

  /// - Parameter ids: of objects that have the name.
  public static func ambiguousName(_ name: String, ids: [Int64]) -> Self {
    Self(
      "'\(name)' is the name of several: \(ids.map { String($0) }.joined(separator: ", "))",
      "say which, for example id:\(ids.first ?? 1)")
  }

  public static func invalidDisplayName(reason: String) -> Self { Self("the name cannot be used: \(reason)") }

  public static func duplicateName(_ name: String) -> Self { Self("the name '\(name)' is in use already", "choose another") }

  public static func duplicateIdentity(_ name: String) -> Self {
    Self("the identity '\(name)' has this name or this key already", "choose another")
  }

  public static func invalidDomain(_ domain: String, reason: String) -> Self { Self("'\(domain)' cannot be used: \(reason)") }

  /// - Parameter position: where it goes wrong, in characters from the start.
  public static func invalidAddress(_ address: String, reason: String, position: Int?) -> Self {
    Self("'\(address)' cannot be used: \(reason)\(position.map { ", at character \($0 + 1)" } ?? "")")
  }

  /// - Parameter kind: relay or server; nil when that is not known.
  public static func duplicateAddress(_ kind: String?, id: Int64) -> Self {
    guard let kind else { return Self("there is one with this address already: id \(id)") }
    return Self("there is a \(kind) with this address already: \(kind) \(id)")
  }

  /// - Parameter object: what was changed, for example relay 7.
  public static func staleRevision(of object: String = "it") -> Self {
    Self("\(object) was changed by somebody else at the same time", "look at it and try again")
  }

  public static func declaredByFile(field: String, file: String) -> Self {
    Self("its \(field) is declared in \(file)", "change it there and say batonctl reload", after: ": ")
  }

  /// - Parameter messages: what would be wrong.
  public static func validationFailed(_ messages: [String]) -> Self {
    Self(
      "nothing was changed, because then: \(messages.joined(separator: "; "))", "--force does it all the same", after: ". ")
  }

  public static func operatorInUse(servers: Int, relays: Int) -> Self {
    Self("\(servers) servers and \(relays) relays belong to this operator", "--force removes them too")
  }

  public static func relayInUse(channels: Int) -> Self {
    Self("\(channels) channels use this relay", "its address stays; relay remove --force removes it, they keep it", after: ": ")
  }

  public static func identityInUse(channels: Int) -> Self {
    guard channels > 0 else { return Self("the identity main always stays") }
    return Self("\(channels) channels belong to this identity", "delete them first")
  }

  public static func invalidKey(reason: String) -> Self { Self("the key cannot be used: \(reason)") }

  public static func invalidCredential(_ credential: String, reason: String) -> Self {
    Self("the credential '\(credential)' cannot be used: \(reason)")
  }

  /// - Parameter problems: each with its file.
  public static func invalidConfiguration(_ problems: [String]) -> Self {
    Self(
      problems.joined(separator: "; "), inFull: "everything stays as it was: \(problems.joined(separator: "\n  "))")
  }
}
