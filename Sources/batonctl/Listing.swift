internal import ArgumentParser
internal import ControlAPI
internal import StrictJSON

/// Objects as they are at one moment, and how people see them.
struct Listing<Object: Encodable, Row> {
  let objects: [Object]
  let columns: [TableColumn<Row>]
  /// What stands in place of a table without rows.
  let none: String
  /// What stands below the table.
  var more: String?
  let row: (Object) -> Row

  /// The table as the terminal can show it.
  func text(_ session: Session) -> String {
    guard !objects.isEmpty else { return none }
    return ([session.table(columns, objects.map(row))] + [more].compactMap { $0 }).joined(separator: "\n")
  }

  /// An object on a line of its own.
  func line(_ object: Object) -> String {
    let row = row(object)
    return columns.map { $0.text(row) }.map { $0.isEmpty ? "-" : $0 }.joined(separator: "  ")
  }
}

extension Session {
  /// Shows a list, once or whenever it changes.
  /// - Parameters:
  ///   - options: whether it is followed.
  ///   - kind: what the objects are, for programs.
  ///   - kinds: what changes it, as `org.batond.Monitor.Watch` names it.
  ///   - load: reads it, given this session at that moment.
  func list<Object, Row>(
    _ options: ListOptions, of kind: String, changedBy kinds: [String],
    _ load: (Session) async throws -> Listing<Object, Row>
  ) async throws {
    guard options.watch else {
      let listing = try await load(self)
      return try show(listing.objects) { listing.text(self) }
    }
    var view = FollowedView(self)
    var known = KnownObjects<Object>(kind: kind)
    try await follow(kinds) { now in
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

/// The objects of a list as they were shown last.
struct KnownObjects<Object: Encodable> {
  enum Kind: String {
    case added, changed, removed

    /// Before the line of the object.
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

  /// What the objects are.
  let kind: String
  private var objects: [Int64: (version: String, object: Object)] = [:]

  init(kind: String) { self.kind = kind }

  /// Takes the list as it is now.
  /// - Returns: what is different: first what is gone, by id, then the rest in the order of the list.
  /// - Throws: when an object is no JSON, which does not happen.
  mutating func become(_ list: [Object]) throws -> [Change] {
    var changes: [Change] = []
    var now: [Int64: (version: String, object: Object)] = [:]
    for object in list {
      let json = try object.json
      guard let id = json["id"]?.integer else { continue }
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

  /// What is not live has no revision; identities have none at all.
  private static func version(_ json: JSONValue) -> String {
    guard let revision = json["revision"] else { return json.text }
    return revision.text + (json["networkTrouble"]?.text ?? "")
  }
}
