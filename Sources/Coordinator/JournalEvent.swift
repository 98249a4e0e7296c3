public import Logging

/// A kind of event that operators may search the journal for: the value of `MESSAGE_ID`. Never change one.
public enum JournalEvent: String, Sendable, CaseIterable {
  /// A channel relay changed or was retried.
  case transition = "6f2a2d0f3f5b4c5c9d0e6c1b7a8e4f10"
  /// Many channels had the same trouble with one relay within a minute. After the first few they are only counted.
  case transitionsShared = "5d39aef1be8741bc319f0b8f07e82b0c"
  case channelCreated = "0c9a7d3e5b1f4e6f8a2b4c6d8e0f1a32"
  /// The network lost the channel, and it was created again there, under another link.
  case linkChanged = "a6d9c2f5b8e14b7094f3d0a7c4e1b862"
  /// A relay shows readers an edition of a channel with a later date than the newest one.
  case strayEdition = "f2b5e8d1c4a74f60938c6f9b2e5a1d74"
  /// The creation of a channel was refused.
  case channelRefused = "8c3e5b1d7f9a4e20b6d8c0a2e4f61b39"
  case channelDeleted = "b1d4f7a90c3e4d5a8b6c7e9f0a1b2c54"
  /// Someone published or edited a post.
  case postPublished = "67347c7f85b329c92757053dabfcbb64"
  /// A post failed at a relay where posts arrived before. It is tried again slowly. Later posts that fail there have no entry.
  case deliveryFailed = "9467da6d8b2d359deca21dbb4a21f0f8"
  /// Readers find a post at a relay where posts had failed.
  case deliveryRecovered = "1507bce572be44bed0b6be0b8c0de3db"
  /// A scheduled post was not published at its time.
  case postExpired = "a41be1ea64d94cdc97fb53e9d26bd1f6"
  /// A comparison did not find posts at a relay where readers had found them. They are read back, and published again if they are gone.
  case postsNotFound = "c07f4ab29d164e3f8b5a6e21d97c3048"
  /// A relay went up or down.
  case relayHealth = "5e8c1b4a7d0f43b69a2c5e8f1b4d7a76"
  /// A relay sends unreadable messages, such as malformed events. They are left out, and further ones within an hour are only counted.
  case relayUnreadable = "8be41f6d0c7a4935a2f9d3605b17ce48"
  /// A network as a whole became usable or unusable.
  case networkState = "d3a6c9f2e5b84170a7d0f3c6b9e2a581"
  case relayChanged = "d7e0a3c6f9b24e5d8c1f4a7b0d3e6998"
  /// A server went up or down.
  case serverHealth = "7a1c4e8d2b5f4093a6d9c0e3f7b1a5d4"
  case operatorChanged = "3f6b9d2e5a8c4710b4e7d1a0c6f3e982"
  case serverChanged = "c8e1f4a7d0b3465296a9c2e5f8b1d4a7"
  /// The files that declare operators were loaded.
  case declarationsLoaded = "1e4a7d0c3f6b4928b5e8a1d4c7f0b3e6"
  /// A file that declares operators is invalid. The catalog is unchanged.
  case declarationsRefused = "a9d2c5f8e1b44a73966c0e3b7f5d8a1c"
  case storageFailed = "9b3e6d0c2f5a48b7a1d4e7f0c3b6a9ba"
  case storageRecovered = "2d5f8b1e4a7c40d39e6b9c2f5a8d1edc"
  /// Messages of channels cannot be read or stored.
  case messagesNotStored = "1dc3a06f52e84b7793b5e0d4a8f6c219"
  case messagesStoredAgain = "a25e7f90c1b64d38865fd20b9e7c4a13"
  /// The database of messages was damaged, and is empty now.
  case messagesSetAside = "f08b36c9d7a14e529c41b7e6038d5fa2"
  /// The database of messages cannot be opened. The daemon runs without it.
  case messagesNotKept = "c94d1ea7386b4f0fa2d8750c6be139f4"
  /// Stored data differs from what was written.
  case damaged = "6d9c2f5b8e1a4734b0d3a6c9f2e5b817"
  /// A stored channel could not be read and is skipped.
  case quarantined = "e4a7c0f3b6d94f2a8e1d5b8c2f6a90fe"
  /// An index on a key of custom data was created or removed, or could not be created.
  case keyIndex = "83c1f6a9d4e74b02b5d8a1c6e9f20d37"
  /// The database that daemons share does not answer.
  case databaseAway = "5f0d6a1c93e84b27a8c41e7d20b6f935"
  /// The daemon has a session in the shared database.
  case sessionBegan = "ad71e4c08b3f4962b5d09f6a37c2e814"
  /// The session was not renewed in time: nothing is published or stored.
  case sessionSuspended = "18b7c5e2f09d4a63917ce4d83a05fb26"
  /// The session was renewed after that.
  case sessionResumed = "c3a90e57d1f84b6ea24f7b1880d6e59c"
  /// The session is over: other daemons have the channels of this daemon, which ends.
  case sessionOver = "72e8d1b60c4f4d95b3a69f02e7c51a48"
  /// Channels have moved to this daemon or to other daemons.
  case slotsMoved = "e96c2f74a81b4035bd17c8f3096a5ed1"
  /// The clocks of this machine and of the database differ.
  case clocksDiffer = "3b4f92d7e60a4c18a5d1e8760b9cf342"
  /// Daemons that share a database have different files that declare operators.
  case declarationsDiffer = "6f1d83ab5e204c97b8a2d4e6107c9f35"
  /// The database has no standby for which commits wait.
  case noStandby = "d05ae81f47b24639806bc7e91f3d2a65"
  /// The daemon serves.
  case ready = "b7d0e3f6a9c24d5f81b4c7e0a3d6f952"
  case stopping = "4f7a0d3c6e9b42158c5f8a1b4d7e0c36"
  /// The daemon ends because it cannot run.
  case cannotRun = "e0c3f6a9d2b5487e91a4d7c0f3b6e928"
  /// The configuration was read again.
  case configurationLoaded = "5b8e1d4a7c0f43926e9b2c5d8f1a4e73"
  /// A call could not be answered because of a fault in the daemon.
  case internalFault = "27f3af05c2174625fd37ac7850b0d945"
  /// The coordinator or the store makes no progress.
  case notAnswering = "91c4f7a0b3d6482e85e8b1c4d7f0a392"
}

extension Logger {
  /// Logs an event that operators can search for.
  public func event(
    _ event: JournalEvent, _ level: Level, _ message: @autoclosure () -> Message,
    _ fields: @autoclosure () -> Metadata = [:], file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    let metadata = fields().merging(["MESSAGE_ID": "\(event.rawValue)"]) { own, _ in own }
    log(level: level, message(), metadata: metadata, file: file, function: function, line: line)
  }
}
