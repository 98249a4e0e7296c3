extension ReaderMachine {
  enum Event: SessionEvent {
    case opened(roundTrip: Duration)
    case dialFailed(DialFailure)
    case received(RelayMessage?)
    case violated(String)
    case flooded(String)
    case closed(code: Int?, reason: String)
    case timerFired(Timer)
    case submitted(SessionOperation)
    /// Find out which of a channel's own posts the relay has.
    case compare(HistoryQuestion)
    /// Whether the relay must be watched: connected whenever possible, with ups and downs reported.
    case watched(Bool)

    enum Timer: SessionTimer {
      case reconnect, idle, stable
      /// The present REQ for channels must be answered.
      case answer
      /// It is time to ask for the channels that have gathered.
      case gather
      /// The present REQ for posts must be answered.
      case answerPosts
      /// It is time to ask for the posts that have gathered.
      case gatherPosts
      /// The present page of a comparison must be served.
      case answerHistory
      /// The present REQ for the pinned posts or the lists of a group must be answered.
      case answerPins
    }
  }

  typealias OwnAction = Never
}
