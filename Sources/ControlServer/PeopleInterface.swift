internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage
internal import Varlink

/// `org.batond.People`.
struct PeopleInterface: PeopleService, ControlService {
  static let limitDefault = 30
  static let limitMax = 100
  /// The longest text that is looked for, in UTF-8 bytes.
  static let textBytesMax = 1_000

  let context: ControlContext
  private var coordinator: Coordinator { context.coordinator }

  func list(_ request: PeopleListRequest) async throws -> PeopleListReply {
    var question = try PeopleQuestion(request)
    if let channel = question.channel {
      guard try await !context.store.channels([channel]).isUnknown(channel) else {
        throw PeopleRefusal.noSuchChannel(id: channel.rawValue, name: nil)
      }
      guard context.messages != nil else { throw PeopleRefusal.notFollowed(id: channel.rawValue) }
    }
    guard let messages = context.messages else { return PeopleListReply(people: []) }
    // A name in another form means exactly that person.
    if let text = question.text, let author = coordinator.author(from: text) { question.text = author }
    let page = try await messages.people(question)
    return PeopleListReply(people: try await wire(page.people), nextCursor: page.next?.cursor)
  }

  func get(_ request: PeopleGetRequest) async throws -> PersonReply {
    guard let person = try await person(request.author) else { throw PeopleRefusal.noSuchPerson(author: request.author) }
    return PersonReply(person: try await wire(person))
  }

  func setMuted(_ request: PeopleSetMutedRequest) async throws -> PersonReply {
    guard context.messages != nil else { throw PeopleRefusal.notFollowed(id: nil) }
    let known = try await person(request.author)
    // No one can be kept out by a name that no one could have.
    guard let author = known?.author ?? coordinator.author(from: request.author) else {
      throw PeopleRefusal.noSuchPerson(author: request.author)
    }
    try await coordinator.mute(author, request.muted)
    return PersonReply(person: try await wire(try await person(author) ?? StoredPerson(author: author)))
  }

  // MARK: - Helpers

  private func person(_ author: String) async throws -> StoredPerson? {
    if let person = try await context.messages?.person(author) { return person }
    guard let name = coordinator.author(from: author) else { return nil }
    return try await context.messages?.person(name)
  }

  private func wire(_ person: StoredPerson) async throws -> Person {
    try await wire([person]).first ?? Person(person, on: nil)
  }

  private func wire(_ people: [StoredPerson]) async throws -> [Person] {
    let found = try await context.channelNames.of(Set(people.compactMap(\.channels.first)), context)
    return people.map { person in
      Person(person, on: person.channels.first.map { found[$0]?.network ?? .nostr })
    }
  }
}

extension Person {
  fileprivate init(_ person: StoredPerson, on network: NetworkKind?) {
    self.init(
      author: person.author, network: network?.rawValue, name: person.name, domainName: person.domainName,
      muted: person.mutedAt != nil,
      mutedAt: person.mutedAt?.text, messages: person.messages, channelIds: person.channels.map(\.rawValue),
      lastMessageAt: person.lastAt?.textOfAnybody, lastMessageId: person.last?.rawValue)
  }
}

extension PeopleQuestion {
  /// - Throws: `InvalidParameter`.
  fileprivate init(_ request: PeopleListRequest) throws(VarlinkError) {
    let limit = request.limit ?? PeopleInterface.limitDefault
    guard (1...PeopleInterface.limitMax).contains(limit) else { throw .invalidParameter("limit") }
    if let text = request.text, !(1...PeopleInterface.textBytesMax).contains(text.utf8.count) {
      throw .invalidParameter("text")
    }
    let place = request.cursor.map(Place.init(cursor:))
    if case .some(.none) = place { throw .invalidParameter("cursor") }
    self.init(
      channel: request.channelId.map(ChannelID.init(rawValue:)), text: request.text, isMuted: request.muted,
      after: place ?? nil,
      limit: limit)
  }
}

extension PeopleQuestion.Place {
  fileprivate var cursor: String { "\(minute) \(author)" }

  fileprivate init?(cursor: String) {
    guard let space = cursor.firstIndex(of: " "), let minute = Int64(cursor[..<space]) else { return nil }
    self.init(minute: minute, author: String(cursor[cursor.index(after: space)...]))
  }
}
