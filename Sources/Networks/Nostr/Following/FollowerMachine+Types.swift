internal import Channels
internal import RelayNetwork

extension FollowerMachine {
  enum Event: SessionEvent {
    case opened(roundTrip: Duration)
    case dialFailed(DialFailure)
    case received(RelayMessage?)
    case violated(String)
    case flooded(String)
    case closed(code: Int?, reason: String)
    case timerFired(Timer)
    /// Follow a channel, or continue with the facts that are known about it now.
    case follow(ChannelReading)
    case unfollow(ChannelID)
    /// A batch with this number was processed.
    case took(Int)
    /// Read all of a channel again.
    case sync(ChannelID)
    /// Ask immediately for the members of a group, because Baton has changed them.
    case members(ChannelID)
    /// The answer to the question for stored messages of a channel that were not served.
    case lacks(StoredNames, ChannelID, number: Int)
    /// Another relay of these channels has served this.
    case heard([MessageNews])
    /// Ask the relay for messages with certain words.
    case search(RelaySearch)
    /// The time of day, in Unix seconds.
    case time(Int64)

    enum Timer: SessionTimer {
      case reconnect, idle, stable
      /// The present REQ for new messages must be answered.
      case answer
      /// It is time to ask for the channels that have gathered.
      case gather
      /// The present page of messages must be served.
      case answerHistory
      /// The present REQ for deletions and reactions must be answered.
      case answerMarks
      /// The present REQ for profiles must be answered.
      case answerProfiles
      /// The present REQ for the members of groups must be answered.
      case answerMembers
      /// The present REQ of a search must be answered.
      case answerSearch
      /// Time has passed for followed channels.
      case tick
    }
  }

  enum OwnAction: Hashable, Sendable {
    /// Feed `time`.
    case tellTime
  }
}
