internal import ArgumentParser
internal import ControlAPI
internal import StrictJSON

/// The objects of a list at one moment, and their table for people.
struct Listing<Object: Encodable, Row> {
  let objects: [Object]
  let columns: [TableColumn<Row>]
  /// The text in place of a table without rows.
  let none: String
  /// The text below the table.
  var more: String?
  let row: (Object) -> Row

  /// The table as the terminal can show it.
  func text(_ session: Session) -> String {
    guard !objects.isEmpty else { return none }
    return ([session.table(columns, objects.map(row))] + [more].compactMap { $0 }).joined(separator: "\n")
  }

  /// An object on a separate line.
  func line(_ object: Object) -> String {
    let row = row(object)
    return columns.map { $0.text(row) }.map { $0.isEmpty ? "-" : $0 }.joined(separator: "  ")
  }
}

extension Session {
  /// Shows a list, once or whenever it changes.
  /// - Parameters:
  ///   - options: the options, including whether to follow the list.
  ///   - kind: the kind of the objects, for programs.
  ///   - kinds: the kinds of changes that affect the list, as `org.batond.Monitor.Watch` names them.
  ///   - load: reads the list, given this session at that moment.
  func list<Object, Row>(
    _ options: ListOptions, of kind: String, changedBy kinds: [String],
    _ load: (Session) async throws -> Listing<Object, Row>
  ) async throws {
    try await list(watch: options.watch, .objects(kinds), of: kind, load)
  }

  /// Shows a list, once or whenever it changes.
  /// - Parameters:
  ///   - watch: whether to follow the list.
  ///   - subject: the data whose changes affect the list.
  ///   - kind: the kind of the objects, for programs.
  ///   - load: reads the list, given this session at that moment.
  func list<Object, Row>(
    watch: Bool, _ subject: Subject, of kind: String, _ load: (Session) async throws -> Listing<Object, Row>
  ) async throws {
    guard watch else {
      let listing = try await load(self)
      return try show(listing.objects) { listing.text(self) }
    }
    var view = FollowedView(self)
    var known = KnownObjects<Object>(kind: kind)
    try await follow(subject) { now in
      let listing = try await load(now)
      if view.isDrawn { return try view.draw(listing.text(now).split(separator: "\n").map(String.init)) }
      view.isBack()
      for change in try known.become(listing.objects) {
        try showNext(change.json) { "\(change.kind.sign) \(listing.line(change.object))" }
      }
    } away: {
      try view.away($0)
    }
  }
}

/// The objects of a list when it was last shown.
struct KnownObjects<Object: Encodable> {
  enum Kind: String {
    case added, changed, removed

    /// The mark before the line of the object.
    var sign: String {
      switch self {
      case .added: "+"
      case .changed: "~"
      case .removed: "-"
      }
    }
  }

  struct Change {
    let kind: Kind
    let object: Object
    /// The change for programs.
    let json: JSONValue
  }

  /// The kind of the objects.
  let kind: String
  private var objects: [Int64: (version: String, object: Object)] = [:]

  init(kind: String) { self.kind = kind }

  /// Compares the list with the previous one and stores it.
  /// - Returns: the differences: first removed objects, by id, then the others in the order of the list.
  /// - Throws: an error if an object cannot be encoded as JSON, which does not happen.
  mutating func become(_ list: [Object]) throws -> [Change] {
    var changes: [Change] = []
    var now: [Int64: (version: String, object: Object)] = [:]
    for object in list {
      let json = try object.json
      // A conversation has the id of its channel.
      guard let id = (json["id"] ?? json["channelId"])?.integer else { continue }
      let version = Self.version(json)
      let old = objects.removeValue(forKey: id)
      now[id] = (version, object)
      guard old?.version != version else { continue }
      changes.append(change(old == nil ? .added : .changed, object, json))
    }
    let gone = try objects.sorted { $0.key < $1.key }.map { change(.removed, $0.value.object, try $0.value.object.json) }
    objects = now
    return gone + changes
  }

  private func change(_ change: Kind, _ object: Object, _ json: JSONValue) -> Change {
    Change(kind: change, object: object, json: ["change": .string(change.rawValue), kind: json])
  }

  /// A text that differs after the object has changed: its revision, together with trouble of the network, which does not change the
  /// revision. For identities, which have no revision, and conversations, whose freshness does not change it, the whole object.
  private static func version(_ json: JSONValue) -> String {
    guard let revision = json["revision"], json["channelId"] == nil else { return json.text }
    return revision.text + (json["networkTrouble"]?.text ?? "")
  }
}
