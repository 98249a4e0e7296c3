internal import StrictJSON
internal import Varlink

/// One clear sentence for each error: what happened, to what, and what to do.
enum Sentence {
  static func of(_ error: VarlinkClient.Failure, _ path: String) -> String {
    switch error {
    case .notReachable(let reason): "\(reason); is batond running? Name another socket with --socket or $BATON_SOCKET"
    case .disconnected: "the daemon closed the connection"
    case .timedOut: "the daemon did not answer in time"
    case .protocolBroken(let reason): "what answers at \(path) does not speak Varlink: \(reason)"
    }
  }

  static func of(_ error: VarlinkError) -> String {
    let short = error.name.split(separator: ".").last.map(String.init) ?? error.name
    func text(_ key: String) -> String {
      switch error.parameters[key] {
      case .string(let text)?: text
      case .integer(let number)?: String(number)
      default: "?"
      }
    }
    let named = error.parameters["name"]?.string.map { "named '\($0)'" } ?? "with id \(text("id"))"
    switch short {
    case "NoSuchOperator": return "there is no operator \(named); see batonctl operator list"
    case "NoSuchServer": return "there is no server, or more than one, \(named); see batonctl server list"
    case "NoSuchRelay": return "there is no relay \(named); see batonctl relay list"
    case "NoSuchChannel": return "there is no channel, or more than one, \(named); see batonctl channel list"
    case "NoSuchIdentity": return "there is no identity \(named); see batonctl identity list"
    case "IdentityInUse":
      return text("channels") == "0"
        ? "the identity main always stays" : "\(text("channels")) channels belong to this identity; delete them first"
    case "InvalidCredential": return "the credential '\(text("credential"))' cannot be used: \(text("reason"))"
    case "NoEnabledRelays":
      return "no relay on \(text("network")) is enabled; add one with batonctl relay add ADDRESS, or enable one"
    case "NotEnoughRelays": return "\(text("wanted")) relays were asked for, \(text("available")) can be used"
    case "InvalidDisplayName": return "the name cannot be used: \(text("reason"))"
    case "InvalidProfile": return "\(text("field")) cannot be used: \(text("reason"))"
    case "InvalidImage": return "the image cannot be used: \(text("reason"))"
    case "InvalidAddress":
      let place = error.parameters["position"]?.integer.map { ", at character \($0 + 1)" } ?? ""
      return "'\(text("address"))' cannot be used: \(text("reason"))\(place)"
    case "InvalidDomain": return "'\(text("domain"))' cannot be used: \(text("reason"))"
    case "DuplicateAddress":
      let kind = error.name.contains(".Servers.") ? "server" : "relay"
      return "there is a \(kind) with this address already: \(kind) \(text("id"))"
    case "DuplicateName": return "the name '\(text("name"))' is in use already; choose another"
    case "StaleRevision": return "it was changed by somebody else at the same time; look at it and try again"
    case "DeclaredByFile": return "its \(text("field")) is declared in \(text("file")): change it there and say batonctl reload"
    case "OperatorInUse":
      return "\(text("servers")) servers and \(text("relays")) relays belong to this operator; --force removes them too"
    case "ValidationFailed":
      let findings = error.parameters["findings"]?.array?.compactMap { $0["message"]?.string } ?? []
      return "nothing was changed, because then: \(findings.joined(separator: "; ")). --force does it all the same"
    case "InvalidConfiguration":
      let problems = (error.parameters["problems"]?.array ?? []).map { problem in
        let place = [problem["line"]?.integer, problem["column"]?.integer].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(problem["file"]?.string ?? "?")\(place): \(problem["text"]?.string ?? "?")"
      }
      return "everything stays as it was: " + (problems.isEmpty ? text("reason") : problems.joined(separator: "\n  "))
    case "NetworkMismatch": return "relay \(text("relayId")) lives on another network than the others"
    case "AlreadyInChannel":
      return text("status") == "removed"
        ? "relay \(text("relayId")) was told to delete this channel and does not take it again; choose another"
        : "the channel is on relay \(text("relayId")) already, where it is \(text("status"))"
    case "GroupNeedsOneRelay": return "a group lives on exactly one relay: name one with --relay, and leave it there"
    case "NoGroupSupport": return "relay \(text("relayId")) cannot have the group: \(text("reason")); choose another"
    case "LastRelay": return "it is the channel's last relay; add another first, or delete the channel"
    case "RelayInUse":
      return "\(text("channels")) channels use this relay: its address stays; relay remove --force removes it, they keep it"
    case "NoLink": return "channel \(text("id")) has no link yet: no relay was active so far"
    case "InvalidFilter": return "\(text("path")) cannot be used: \(text("reason"))"
    case "NetworkUnavailable": return text("reason")
    case "Busy": return "the daemon has too much to do, try again"
    case "StorageUnavailable": return "the daemon cannot store changes at present, nothing was changed: \(text("reason"))"
    case "RevisionCompacted": return "changes before revision \(text("oldest")) are not kept any more; list again"
    case "TooManySubscribers": return "as many clients watch as may; see the daemon's option control.subscribersMax"
    case "TooSlow": return "the changes were not read fast enough; go on with --since"
    case "PermissionDenied": return "you may not do this; root and members of the group baton may"
    case "InvalidParameter": return "the daemon does not accept the parameter '\(text("parameter"))'"
    default: return error.description
    }
  }
}
