import Channels
import Testing

@testable import ConsoleProgram

/// Whoever looks at pages hears of every change, and of none twice.
struct LiveFeedTests {
  private func live(at revision: Int64) -> LiveFeed {
    var feed = LiveFeed()
    feed.begun(at: revision)
    return feed
  }

  @Test func aReaderHearsWhatChangesFromThenOn() {
    var feed = live(at: 10)
    let id = feed.add(after: nil)
    #expect(feed.take(id) == [.connected(true)])
    feed.changed(["channel:1"], revision: 11)
    feed.changed(["channel:2", "at:3"], revision: 12)
    feed.changed(["channel:1"], revision: 13)
    #expect(feed.take(id) == [.changed(revision: 13, objects: ["channel:1", "channel:2", "at:3"])])
    #expect(feed.take(id) == [])
  }

  @Test func aReaderWhoComesBackHearsWhatItMissed() {
    var feed = live(at: 10)
    for revision in 11...20 { feed.changed(["channel:\(revision)"], revision: Int64(revision)) }
    let id = feed.add(after: 18)
    // Messages have no revision of this kind.
    #expect(feed.take(id) == [.connected(true), .changed(revision: 20, objects: ["channel:19", "channel:20", "messages:*"])])
  }

  @Test(arguments: [9, 21]) func whoCannotBeToldLooksAtEverything(_ revision: Int64) throws {
    var feed = live(at: 10)
    for revision in 11...20 { feed.changed(["channel:\(revision)"], revision: Int64(revision)) }
    let id = feed.add(after: revision)
    #expect(feed.take(id) == [.connected(true), .resync(revision: 20)])
  }

  @Test func onlySoManyChangesAreKept() {
    var feed = live(at: 0)
    let count = Int64(LiveFeed.keptMax) + 5
    for revision in 1...count { feed.changed(["channel:1"], revision: revision) }
    let late = feed.add(after: 4)
    #expect(feed.take(late).contains(.resync(revision: count)))
    let inTime = feed.add(after: 5)
    #expect(feed.take(inTime).contains(.changed(revision: count, objects: ["channel:1", "messages:*"])))
  }

  @Test func aReaderFarBehindLooksAtEverything() {
    var feed = live(at: 0)
    let id = feed.add(after: nil)
    for revision in 1...Int64(LiveFeed.pendingMax) + 1 { feed.changed(["channel:\(revision)"], revision: revision) }
    #expect(feed.take(id) == [.connected(true), .resync(revision: Int64(LiveFeed.pendingMax) + 1)])
    feed.changed(["channel:7"], revision: 5000)
    #expect(feed.take(id) == [.changed(revision: 5000, objects: ["channel:7"])])
  }

  @Test func readersHearThatTheDaemonIsAway() {
    var feed = live(at: 10)
    let id = feed.add(after: nil)
    _ = feed.take(id)
    feed.disconnected()
    #expect(feed.take(id) == [.connected(false)])
    #expect(feed.take(id) == [])
    feed.resumed()
    feed.changed(["relay:1"], revision: 11)
    #expect(
      feed.take(id) == [.connected(true), .changed(revision: 11, objects: ["relay:1"])], "nothing has to be looked at again")
  }

  @Test func afterALossAllLookAgain() {
    var feed = live(at: 10)
    let id = feed.add(after: nil)
    feed.changed(["relay:1"], revision: 11)
    feed.disconnected()
    feed.lost()
    feed.begun(at: 500)
    #expect(feed.take(id) == [.connected(true), .resync(revision: 500)])
    #expect(feed.revision == 500)
    let other = feed.add(after: 11)
    #expect(feed.take(other).contains(.resync(revision: 500)))
  }

  @Test func aRevisionIsHeardOnce() {
    var feed = live(at: 10)
    let id = feed.add(after: nil)
    feed.changed(["relay:1"], revision: 11)
    _ = feed.take(id)
    feed.changed(["relay:1"], revision: 11)
    feed.changed(["relay:2"], revision: 9)
    #expect(feed.take(id) == [])
  }

  @Test func messagesAreToldWithoutARevision() {
    var feed = live(at: 10)
    let id = feed.add(after: 10)
    _ = feed.take(id)
    feed.noted("messages:7")
    #expect(feed.take(id) == [.changed(revision: nil, objects: ["messages:7"])])
    feed.noted("messages:7")
    feed.changed(["channel:7"], revision: 11)
    #expect(feed.take(id) == [.changed(revision: 11, objects: ["messages:7", "channel:7"])])
  }

  /// Readers come, go, sleep and come back with what they know, while the daemon changes things, is away, and forgets. Against a world that
  /// knows everything: what a reader has not looked at since it changed, it was told of; and of nothing else, unless it must look.
  @Test(arguments: 0..<200) func nobodyMissesAnything(_ seed: UInt64) throws {
    var chance = SplitMix64(seed: seed)
    var feed = LiveFeed()
    var revision: Int64 = 100
    var changes: [(revision: Int64, object: String)] = []
    /// A browser: the last revision that it heard of, and what it must look at because of what it was told.
    struct Browser {
      var id: LiveFeed.ReaderID?
      var knows: Int64
      var told: Set<String> = []
      var looks = false
    }
    feed.begun(at: revision)
    var browsers = [Browser(knows: revision), Browser(knows: revision)]
    /// What the browser has heard of must be all that changed since it last knew everything.
    func check(_ browser: inout Browser, _ messages: [LiveFeed.Message], _ line: Int = #line) {
      let begin = browser.knows
      var told: Set<String> = []
      var looks = false
      for message in messages {
        switch message {
        case .changed(let revision, let objects):
          told.formUnion(objects.filter { !$0.hasPrefix("messages") })
          if let revision { browser.knows = max(browser.knows, revision) }
        case .resync(let revision):
          looks = true
          browser.knows = revision ?? browser.knows
        case .connected: break
        }
      }
      let missed = Set(changes.filter { $0.revision > begin && $0.revision <= browser.knows }.map(\.object))
      if looks { return }
      #expect(told == missed, "seed \(seed): from \(begin) to \(browser.knows)")
    }
    for _ in 0..<300 {
      switch chance.next() % 10 {
      case 0...4:
        revision += Int64(chance.next() % 3) + 1
        let object = "channel:\(chance.next() % 40)"
        changes.append((revision, object))
        feed.changed([object], revision: revision)
      case 5:
        feed.disconnected()
        if chance.next() % 4 == 0 {
          feed.lost()
          // The daemon goes on elsewhere.
          revision += 1000
          changes.append((revision, "channel:99"))
          feed.begun(at: revision)
        } else {
          feed.resumed()
        }
      case 6:
        let index = Int(chance.next() % 2)
        if let id = browsers[index].id {
          feed.remove(id)
          browsers[index].id = nil
        } else {
          browsers[index].id = feed.add(after: browsers[index].knows)
        }
      default:
        let index = Int(chance.next() % 2)
        if let id = browsers[index].id { check(&browsers[index], feed.take(id)) }
      }
    }
    for index in browsers.indices {
      guard let id = browsers[index].id else { continue }
      check(&browsers[index], feed.take(id))
      #expect(browsers[index].knows == revision, "seed \(seed): everyone arrives at the newest revision")
    }
  }
}
