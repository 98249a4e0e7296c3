internal import Channels
internal import RelayNetwork

// Searches at the relay.
extension FollowerMachine {
  /// Accepts a question, and answers immediately if the relay cannot be asked now, because someone waits.
  mutating func ask(_ search: RelaySearch) -> [Action] {
    guard followed[search.channel] != nil else { return [] }
    if let hold = keeper.hold {
      end(search, .failed(hold))
      return []
    }
    guard searches.want(search) else {
      end(search, .failed(Trouble(.rateLimited, "too many other searches wait for this relay. Try again")))
      return []
    }
    return keeper.state == .open ? [] : keeper.need()
  }

  /// Handles an event that is the answer to a question.
  mutating func takeFound(_ event: NostrEvent) {
    switch searches.take(event) {
    // It may have been dropped since it was reported.
    case .said(let event)?: tell(event, isLive: false, isAgain: true)
    case .mark(let event, let about)?:
      if followed.channel(of: event) != nil {
        tell(event, isLive: false, isAgain: true)
      } else {
        tell(event, about: about, isLive: false, isAgain: true)
      }
    case nil: break
    }
  }

  mutating func searchServed() -> [Action] {
    timeoutsInARow = 0
    let (over, actions) = searches.served()
    end(over)
    return actions
  }

  mutating func searchClosed(_ text: String) -> [Action] {
    timeoutsInARow = 0
    end(searches.closed(text))
    return [.cancelTimer(.answerSearch)]
  }

  mutating func searchTimedOut(_ silence: Trouble) -> [Action] {
    let (over, actions) = searches.timedOut(silence)
    end(over)
    return actions
  }

  /// Answers the question that is under way, because the connection is gone.
  mutating func searchLost() {
    for search in searches.interrupt() {
      end(search, .failed(Trouble(.unreachable, "the connection was lost before the relay had answered")))
    }
  }

  /// Answers all questions, because the relay cannot be asked.
  mutating func failSearches(_ trouble: Trouble) { for search in searches.giveUp() { end(search, .failed(trouble)) } }

  private mutating func end(_ over: SearchReader.Over?) { if let over { end(over.search, over.outcome) } }

  private mutating func end(_ search: RelaySearch, _ outcome: RelaySearchOutcome) {
    outbox.end(.searched(channel: search.channel, relay: relay, number: search.number, outcome))
  }
}
