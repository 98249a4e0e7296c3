import Channels
import GRDB
import Storage

@testable import Store

// What is asked about posts.
extension QueryPlanTests {
  static func postWrites() -> [StoreMutation] {
    let (post, relay, channel) = (PostID(rawValue: 1), RelayID(rawValue: 1), ChannelID(rawValue: 1))
    let row = PostBench.post(1, key: "k", deliveries: 1, revision: 1)
    var scheduled = PostBench.post(2, revision: 2)
    scheduled.schedule = PostSchedule(publishAt: PostBench.now, tolerance: 60, request: "{}")
    let transition = DeliveryMachine.Transition(
      from: .pending, to: .sent, cause: nil, detail: "", attempt: 1, at: PostBench.now)
    return [
      .insertPost(row), .saveDelivery(post, DeliveryRow(relay: relay, record: PostBench.record(.pending))),
      .appendPostTransition(PostTransitionRow(revision: 1, post: post, relay: relay, transition: transition)),
      .savePostRoute(PostRouteRow(channel: channel, relay: relay, status: .joined, cursor: post)), .updatePost(row),
      .insertPost(scheduled), .updatePost(scheduled), .savePostRetention(PostRetention(channel: channel, days: 1, count: 1)),
    ]
  }

  static func askForPosts(_ store: Store) throws {
    let (post, relay, channel) = (PostID(rawValue: 1), RelayID(rawValue: 1), ChannelID(rawValue: 1))
    _ = (try store.postCounters(), try store.post(post), try store.posts([post]), try store.posts(idempotencyKeys: ["k"]))
    _ = (try store.posts(networkIDs: ["p1"], of: channel), try store.posts(networkIDs: ["p1"], of: nil))
    _ = (try store.posts(of: channel, before: post, limit: 5), try store.postTransitions(of: post, limit: 5))
    _ = (try store.postsUnderWay(after: nil, limit: 5), try store.nextDeliveries())
    _ = try store.dueDeliveries(on: relay, at: PostBench.now, limit: 5)
    _ = try store.troubledDeliveries(on: relay, causes: [.timeout, .unreachable], after: nil, limit: 5)
    _ = try store.dueSchedules(at: PostBench.now, limit: 5)
    _ = (try store.postRoutes(of: [channel]), try store.channelsWithPosts(), try store.postRoutesUnderWay())
    _ = (try store.channelsToRoute(), try store.lastPosts(of: [channel]))
    _ = try store.awaitedReplacements(after: nil, limit: 5)
    _ = try store.postRoutesToCompare(at: PostBench.now, except: [relay], limit: 5)
    _ = try store.postRoutes(on: relay, comparedBefore: PostBench.now, after: channel, limit: 5)
    _ = try store.postRetention(of: channel)
    _ = try store.postsToForget(at: PostBench.now, from: .start, counted: [:], limit: 5)
    _ = try store.changedPosts(after: 0, channels: nil, limit: 5)
    _ = try store.changedPosts(after: 0, channels: [channel], limit: 5)
    let aboutMessage = PostReaction(target: .message(in: channel, networkID: "m"), text: "+")
    let aboutPerson = PostReaction(target: .person(in: channel, name: "ann"), text: "")
    _ = try store.posts(reacting: [PostReaction(target: post, text: "+"), aboutMessage, aboutPerson])
    for question in questions(relay, channel) {
      _ = try store.posts(question)
      // Where there are many such deliveries.
      _ = try store.pool.read { db in try PostSearch(question, fewMax: 0, db).ids(.below, .max, 5) }
    }
  }

  private static func questions(_ relay: RelayID, _ channel: ChannelID) -> [PostQuestion] {
    var questions: [PostQuestion] = []
    for channel in [nil, channel] {
      for relay in [nil, relay] {
        for status in [nil, .verified, .failed] as [DeliveryStatus?] {
          for cause in [nil, .timeout] as [Cause?] {
            for withDeleted in [false, true] {
              let question = PostQuestion(
                channel: channel, relay: relay, status: status, cause: cause, withDeleted: withDeleted,
                place: .around(PostID(rawValue: 1)), limit: 5)
              var (among, about, drafts) = (question, question, question)
              drafts.onlyDrafts = true
              among.withReactions = true
              about.reactionTo = PostID(rawValue: 1)
              questions += [question, among, about, drafts]
            }
          }
        }
      }
    }
    return questions
  }
}
