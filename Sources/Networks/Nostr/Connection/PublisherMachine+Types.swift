internal import Channels
internal import RelayNetwork

extension PublisherMachine {
  enum Event: SessionEvent {
    case opened(roundTrip: Duration)
    case dialFailed(DialFailure)
    case received(RelayMessage?)
    case violated(String)
    case flooded(String)
    case closed(code: Int?, reason: String)
    case timerFired(Timer)
    case submitted(SessionOperation)
    /// Invitations of this channel that still wait must not be sent.
    case cancelled(ChannelID)
    /// Nothing more must be sent for the channels in these slots.
    case abandoned(SlotSet)
    /// Whether a post whose turn has come may leave.
    case released(DeliveryTurn)
    /// A draft was signed and sent, or `nil` if it could not be signed.
    case published(id: String?)
    /// The time of day when the turn of a post in a group came, in Unix seconds, and by how many seconds its date may be ahead of that.
    case dated(PostID, number: Int, at: Int64, ahead: Int64 = 0)
    /// A dated event was signed. Its text is `nil` if it could not be.
    /// - at: the time of day, in Unix seconds.
    case signed(id: String, text: String?, at: Int64)
    /// The AUTH event for the latest challenge was sent, or `nil` if it was not, because other sessions read over the connection.
    case authenticationSent(id: String?)

    enum Timer: SessionTimer {
      case reconnect, idle, stable
      /// The first EVENT that is not answered must be answered.
      case answer
      /// The unanswered EVENT must now be found at the relay.
      case readBack
      /// AUTH must be answered, or a challenge must come.
      case authentication
      /// The next EVENT may follow.
      case pace
    }
  }

  enum OwnAction: Hashable, Sendable {
    /// Cut the connection, so that nothing that is under way arrives.
    case cut
    /// Sign and send, then feed `published`.
    case publish(kind: Int, tags: [[String]], content: String)
    /// Feed `dated` with the time of day.
    case date(PostID, number: Int)
    /// Sign for the author of this channel, then feed `signed`.
    case sign(DatedEvent, author: ChannelContent)
    /// Sign and send AUTH for this challenge, then feed `authenticationSent`: as the identity, or as the author of this channel.
    case authenticate(challenge: String, author: ChannelContent? = nil)
    /// Report that the relay refused the date of this event of an operation.
    case misdated(SessionOperation, OutgoingEvent, DateRefusal, isDoubtful: Bool)
  }
}
