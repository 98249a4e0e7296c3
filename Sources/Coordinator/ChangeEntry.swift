internal import Channels
internal import Storage
internal import StrictJSON
internal import Synchronization

/// A change that is kept for subscribers, together with its message.
public final class ChangeEntry: Sendable {
  public let change: Change
  /// Its number in the log.
  let number: Int
  private let message = Mutex<[UInt8]?>(nil)

  init(_ change: Change, number: Int) {
    self.change = change
    self.number = number
  }

  /// Whether its message was made.
  public var hasMessage: Bool { message.withLock { $0 != nil } }

  /// The message, made now if it was not made before.
  func message(by encode: (Change) throws -> [UInt8]) throws -> (bytes: [UInt8], isNew: Bool) {
    try message.withLock { message in
      if let message { return (message, false) }
      let made = try encode(change)
      message = made
      return (made, true)
    }
  }
}

extension Change {
  /// The approximate number of bytes that it needs in memory. Texts that changes share count for each of them.
  var roughBytes: Int {
    switch object {
    case .catalog(_, let before): before == nil ? 2048 : 4096
    case .channelRelay(let relay, let row): 1024 + relay.roughBytes + row.transition.detail.utf8.count
    case .channel(let snapshot):
      snapshot.relays.reduce(1024 + snapshot.row.roughBytes + (snapshot.link?.utf8.count ?? 0)) { $0 + $1.roughBytes }
    }
  }
}

extension ChannelSnapshot.Relay {
  fileprivate var roughBytes: Int { 512 + name.utf8.count + (record.trouble?.detail.utf8.count ?? 0) }
}

extension ChannelRow {
  fileprivate var roughBytes: Int {
    let texts = [profile.fullName, profile.description, profile.image, newestEdition?.document]
    return document.utf8.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + (preferences?.roughBytes ?? 0)
      + (custom?.roughBytes ?? 0)
  }
}
