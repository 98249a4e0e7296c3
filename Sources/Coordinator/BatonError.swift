public import Channels

/// Why a request was refused. One place maps these to Varlink errors and exit statuses.
public enum BatonError: Error, Hashable, Sendable {
  case noSuchRelay(RelayID)
  case noSuchChannel(ChannelID)
  case noSuchIdentity(String)
  case noEnabledRelays(NetworkKind)
  case notEnoughRelays(wanted: Int, available: Int)
  case invalidDisplayName(reason: String)
  case invalidProfile(field: String, reason: String)
  case invalidImage(reason: String)
  case invalidAddress(address: String, reason: String)
  case duplicateAddress(RelayID)
  case duplicateName(String)
  case networkMismatch(RelayID)
  case relayInUse(channels: Int)
  case busy
  case storageUnavailable(reason: String)
  case networkUnavailable(NetworkKind, reason: String)
}
