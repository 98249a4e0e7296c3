internal import Channels
internal import Storage

/// Carries out the reads of the decider for posts.
struct PostQuestions {
  let storage: any PostStorage
  let channels: any CoordinatorStorage
  /// Makes the task for posts hear of changes of these channels. Their current relays are read after that.
  let note: @Sendable (Set<ChannelID>) -> Void

  /// Data that could not be read is missing, and the answer has the reason.
  /// - Parameters:
  ///   - awake: posts in memory, which are not read again.
  ///   - known: channels whose content is known.
  ///   - leftAlone: posts that are not read again.
  ///   - timeOfDay: the time of day for scheduled posts.
  func answer(
    _ reads: PostReads, awake: [PostID: PostDecider.Awake], known: [ChannelID: PostDecider.Known], leftAlone: Set<PostID>,
    timeOfDay: Timestamp
  ) async -> PostFacts {
    var facts = PostFacts()
    facts.timeOfDay = timeOfDay
    do {
      let wanted = try await ask(reads, &facts).filter { awake[$0] == nil && !leftAlone.contains($0) }
      if !wanted.isEmpty || !facts.channelsToCompare.isEmpty { try await read(wanted, known, &facts) }
    } catch {
      facts.trouble = "\(error)"
    }
    return facts
  }

  /// The work that is left for the posts of channels in some slots.
  func work(among slots: SlotSet) async throws -> PostWork {
    var work = PostWork(slots: slots)
    guard !slots.isEmpty else { return work }
    work.post = try await storage.postCounters().post
    work.nextDeliveries = try await storage.nextDeliveries(among: slots)
    try await pages(of: { $0 }) { after in
      let some = try await storage.postsUnderWay(after: after, limit: PostWork.pageMax, among: slots)
      work.underWay += some
      return some
    }
    work.channels = try await storage.channelsWithPosts(among: slots)
    note(work.channels)
    work.channelsToRoute = try await storage.channelsToRoute(among: slots)
    work.routes = try await storage.postRoutesUnderWay(among: slots)
    try await pages(of: \.old) { after in
      let some = try await storage.awaitedReplacements(after: after, limit: PostWork.pageMax, among: slots)
      work.replacements += some.map { .replace($0.old, by: $0.new) }
      return some
    }
    return work
  }

  private func pages<Entry>(of id: (Entry) -> PostID, _ next: (PostID?) async throws -> [Entry]) async throws {
    var last: PostID?
    repeat {
      let some = try await next(last)
      last = some.count < PostWork.pageMax ? nil : some.last.map(id)
    } while last != nil
  }

  /// - Returns: the posts that are needed.
  private func ask(_ reads: PostReads, _ facts: inout PostFacts) async throws -> Set<PostID> {
    var wanted = reads.posts
    if !reads.keys.isEmpty {
      facts.keys = try await storage.posts(idempotencyKeys: reads.keys)
      wanted.formUnion(facts.keys.values)
    }
    if !reads.reactions.isEmpty {
      facts.reactions = try await storage.posts(reacting: reads.reactions)
      wanted.formUnion(facts.reactions.values)
    }
    for name in reads.names {
      facts.names[name] = try await storage.posts(networkIDs: [name.networkID], of: name.channel)[name.networkID]
    }
    wanted.formUnion(facts.names.values)
    if let gained = reads.gained { facts.work = try await work(among: gained) }
    for (relay, limit) in reads.due.sorted(by: { $0.key < $1.key }) {
      let due = try await storage.dueDeliveries(on: relay, at: reads.now, limit: limit, among: reads.slots)
      facts.due[relay] = (due.posts, due.next, limit)
      wanted.formUnion(due.posts)
    }
    for (relay, place) in reads.returned.sorted(by: { $0.key < $1.key }) {
      let posts = try await storage.troubledDeliveries(
        on: relay, causes: Self.mayPass, after: place.after, limit: place.limit, among: reads.slots)
      facts.returned[relay] = (posts, posts.count < place.limit)
      wanted.formUnion(posts)
    }
    if reads.schedules > 0 {
      let due = try await storage.dueSchedules(at: facts.timeOfDay, limit: reads.schedules, among: reads.slots)
      facts.schedules = due
      wanted.formUnion(due.posts)
    }
    try await askForChannels(reads, &facts)
    wanted.formUnion(try await askForComparisons(reads, &facts))
    if let wish = reads.toForget {
      // A clock that is set ahead while the daemon runs must not make posts be forgotten early.
      let found = try await storage.postsToForget(
        at: min(facts.timeOfDay, reads.now), from: wish.place, counted: wish.counted, limit: PostForgetting.pageMax,
        among: reads.slots)
      facts.toForget = PostFacts.ToForget(place: wish.place, found: found)
      wanted.formUnion(found.posts)
    }
    for page in reads.pages.sorted(by: { ($0.channel, $0.relay) < ($1.channel, $1.relay) }) {
      guard let route = facts.routes[page.channel]?.first(where: { $0.relay == page.relay }) else { continue }
      let posts = try await storage.posts(of: page.channel, before: route.cursor, limit: PostReads.pageMax)
      facts.pages[page] = PostFacts.Page(route: route, posts: posts)
      wanted.formUnion(posts)
    }
    return wanted
  }

  private func read(_ wanted: Set<PostID>, _ known: [ChannelID: PostDecider.Known], _ facts: inout PostFacts) async throws {
    let posts = try await storage.posts(wanted)
    let read = facts.channels
    let named = Set(posts.found.values.map(\.row.channel)).union(facts.channelsToCompare)
    let unknown = named.filter { known[$0] == nil && read[$0] == nil }
    if !unknown.isEmpty {
      for (id, channel) in try await channels.channels(unknown).found {
        facts.contents[id] = PostDecider.Known(network: channel.row.network, content: channel.row.content)
      }
    }
    facts.posts = posts
  }

  private func askForChannels(_ reads: PostReads, _ facts: inout PostFacts) async throws {
    if !reads.channels.isEmpty { facts.channels = try await channels.channels(reads.channels).found }
    let routed = reads.channels.union(reads.routed)
    guard !routed.isEmpty else { return }
    let routes = try await routes(of: routed, &facts)
    facts.routes = Dictionary(grouping: routes, by: \.channel)
  }

  /// The routes of these channels. A damaged route concerns its channel only.
  private func routes(of channels: Set<ChannelID>, _ facts: inout PostFacts) async throws -> [PostRouteRow] {
    do {
      return try await storage.postRoutes(of: channels)
    } catch let error as StoreError where error.code == .corrupt {
      var found: [PostRouteRow] = []
      for channel in channels.sorted() {
        do {
          found += try await storage.postRoutes(of: [channel])
        } catch let error as StoreError where error.code == .corrupt {
          facts.damagedRoutes[channel] = error.description
        }
      }
      return found
    }
  }

  /// - Returns: the posts that are needed.
  private func askForComparisons(_ reads: PostReads, _ facts: inout PostFacts) async throws -> Set<PostID> {
    if let except = reads.comparable {
      facts.routesToCompare = try await storage.postRoutesToCompare(
        at: reads.now, except: except, limit: Self.routesMax, among: reads.slots)
      for (relay, back) in reads.comparedBefore.sorted(by: { $0.key < $1.key }).prefix(PostComparisons.underWayMax) {
        let next = try await storage.postRoutes(
          on: relay, comparedBefore: back.since, after: back.after, limit: 1, among: reads.slots)
        facts.returnedRoutes[relay] = (next.first, back)
      }
    }
    var wanted: Set<PostID> = []
    for (page, cursor) in reads.reconciled {
      let posts = try await storage.posts(of: page.channel, before: cursor, limit: PostReads.pageMax)
      facts.reconciled[page] = PostFacts.Compared(cursor: cursor, posts: posts)
      wanted.formUnion(posts)
    }
    return wanted
  }

  /// The number of routes that are read with a due comparison. Routes of one relay follow each other.
  private static let routesMax = 16

  /// Causes after which a relay that is reachable again is tried immediately.
  private static let mayPass = Cause.allCases.filter { $0.isOfConnection || $0 == .missing }
}
