internal import Channels
internal import RelayNetwork

/// How far a channel was read.
///
/// It is read from its end back, in pages, because items are ordered by the time when they were sent: a late message comes before others
/// that were read.
struct ChannelReading {
  /// How much has to be read.
  enum Need: Int, Comparable {
    case nothing
    /// The messages that were missed since everything was read.
    case missed
    /// Everything within the window.
    case everything

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// One way back through the channel.
  struct Run {
    let number: Int
    let need: Need
    /// Whether someone waits for it.
    let isAsked: Bool
    /// Where the next page lies.
    fileprivate(set) var place = CoreItemPage.Place.newest
    fileprivate var pages = 0
    fileprivate var messages = 0
  }

  enum Progress: Hashable {
    case more, over
    /// Nothing in the page can be read, so the place of the page before it is unknown.
    case stuck
  }

  /// How many items Baton asks for in one page.
  static let pageCount = 64
  /// How many news a page can have: a message, and that it was edited.
  static let pageNewsMax = 2 * pageCount

  private(set) var channel: FollowedChannel
  /// `nil` as long as the core does not have the channel.
  let place: CoreWorker.Place?
  private(set) var run: Run?
  private(set) var seen = SeenItems()
  /// The last reported number of people.
  var memberCount: Int64?
  /// Whether someone waits for everything, and no run was begun for that.
  private(set) var isAsked = false
  private var need = Need.everything
  private var hasEverything = false
  private var runs = 0

  init(_ channel: FollowedChannel, at place: CoreWorker.Place?) { (self.channel, self.place) = (channel, place) }

  /// Continues with other relays, or another window.
  mutating func change(_ channel: FollowedChannel) {
    owe(channel.window == self.channel.window ? .missed : .everything)
    self.channel = channel
  }

  mutating func owe(_ need: Need) { self.need = max(self.need, need) }

  mutating func ask() {
    isAsked = true
    owe(.everything)
  }

  /// No one waits any more.
  mutating func answered() { isAsked = false }

  mutating func note(_ item: CoreItem) { seen.note(item.id, as: ItemPlace(item).name) }

  /// The run that is under way, or that has to begin. `nil` if nothing has to be read.
  mutating func next() -> Run? {
    if let run { return run }
    guard need != .nothing else { return nil }
    runs += 1
    run = Run(number: runs, need: need, isAsked: isAsked)
    (need, isAsked) = (.nothing, false)
    return run
  }

  /// Gives up the run that is under way, which has to begin again.
  mutating func stop() {
    guard let run else { return }
    owe(run.need)
    isAsked = isAsked || run.isAsked
    self.run = nil
  }

  /// Processes the next page of the run.
  /// - Returns: the news in it, the oldest first.
  mutating func take(_ page: CoreItemPage, of group: CoreGroup, at now: Timestamp) -> (news: [MessageNews.What], Progress) {
    guard var run else { return ([], .over) }
    let items = within(page, now)
    var isOver = items.count < page.items.count || page.items.count + page.faults.count < Self.pageCount
    var chosen: [CoreItem] = []
    for item in items.reversed() where run.messages < channel.window.count {
      chosen.append(item)
      if item.content != nil { run.messages += 1 }
    }
    isOver = isOver || run.messages >= channel.window.count
    if run.need == .missed { isOver = isOver || !chosen.contains { seen.isNew($0.id) } }
    let known = ItemNews(group: group, now: now)
    var news: [MessageNews.What] = []
    for item in chosen.reversed() {
      // Messages that arrived while everything was read for the first time were reported as they came.
      let isNew = run.need == .missed ? seen.isNew(item.id) : hasEverything || seen.name(of: item.id) == nil
      news += isNew ? known.all(item) : known.changes(item)
      note(item)
    }
    run.pages += 1
    isOver = isOver || run.pages >= pagesMax
    self.run = run
    if isOver { return (news, finish(run)) }
    guard let oldest = page.items.first else { return (news, .stuck) }
    self.run?.place = .before(oldest.id)
    return (news, .more)
  }

  private mutating func finish(_ run: Run) -> Progress {
    if run.need == .everything { hasEverything = true }
    self.run = nil
    return .over
  }

  /// The items of a page that are not too old.
  private func within(_ page: CoreItemPage, _ now: Timestamp) -> [CoreItem] {
    guard let days = channel.window.days else { return page.items }
    let oldest = now + .seconds(-86_400 * Int64(min(max(days, 0), Self.daysMax)))
    return page.items.filter { Timestamp(core: $0.sentAt).map { $0 >= oldest } ?? true }
  }

  private static let daysMax = 36_500

  /// Pages hold more than messages, but not without end.
  private var pagesMax: Int { 10 + min(max(channel.window.count, 0), 1_000_000) / 16 }
}
