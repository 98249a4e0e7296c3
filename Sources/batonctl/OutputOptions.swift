internal import ArgumentParser
internal import Filters
internal import StrictJSON

/// The form in which a result is printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  /// A table for people, with all columns and nothing cut.
  case wide
  case json
  case yaml
  /// One `id:N` per line, as other commands accept it.
  case name

  /// Whether the form is for people.
  static func isForPeople(_ format: OutputFormat?) -> Bool { format == nil || format == .wide }
}

/// The options of commands that show objects.
struct ShowOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "wide (all columns, nothing cut), json or yaml (one document), or name (one id:N per line, for other commands).",
      valueName: "format"))
  var output: OutputFormat?
  @Flag(help: "Show exact times, in UTC.") var utc = false

  /// Refuses the forms that need an end.
  /// - Parameters:
  ///   - flag: the option that makes the output endless.
  ///   - shown: the data that it shows to people.
  func checkStream(_ flag: String, _ shown: String) throws {
    guard let output, output == .yaml || output == .name else { return }
    throw ValidationError("\(flag) cannot be combined with -o \(output.rawValue): it shows \(shown), or JSON.")
  }
}

/// The options of commands that print a table.
struct TableOptions: ParsableArguments {
  @OptionGroup var show: ShowOptions
  @Option(help: "Columns to show, in this order, such as id,name.") var columns: String?

  /// The columns to show.
  /// - Throws: `ValidationError` if a requested column does not exist, or if no table will be printed.
  func chosen<Row>(of all: [TableColumn<Row>]) throws -> [TableColumn<Row>] {
    guard let columns else { return all.filter { show.output == .wide || !$0.isExtra } }
    if let output = show.output, output != .wide {
      throw ValidationError("--columns is for tables: it cannot be combined with -o \(output.rawValue).")
    }
    return try columns.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let name = part.lowercased()
      if let column = all.first(where: { $0.name == name }) { return column.staying }
      let names = all.map(\.name)
      let hint = Nearest.to(name, among: names).map { ". Did you mean \($0)?" } ?? "."
      throw ValidationError("There is no column '\(part)'\(hint) The columns are \(names.joined(separator: ", ")).")
    }
  }
}

extension GlobalOptions {
  /// The form that the command line requests.
  /// - Throws: `ValidationError` if it requests two.
  func format(_ show: ShowOptions?) throws -> OutputFormat? {
    guard json else { return show?.output }
    if let output = show?.output, output != .json {
      throw ValidationError("--json means -o json: it cannot be combined with -o \(output.rawValue).")
    }
    return .json
  }
}

extension Session {
  /// Whether the result is for people to read.
  var isForPeople: Bool { OutputFormat.isForPeople(format) }

  /// A table that fits the terminal.
  func table<Row>(_ columns: [TableColumn<Row>], _ rows: [Row]) -> String {
    Table(columns: columns, rows: rows).text(width: format == .wide ? nil : terminal.columns, paint: terminal.paint)
  }

  /// The result in the form for programs, or `nil` if it is for people.
  func document(_ value: some Encodable) throws -> String? {
    switch format {
    case .json: try value.json.text.shownJSON
    case .yaml: YAML.text(try value.json)
    case .name: try Self.names(in: value.json)
    case .wide, nil: nil
    }
  }

  private static func names(in value: JSONValue) throws -> String {
    let objects = value.array ?? [value]
    return try objects.map { object in
      // People have no number.
      if object["id"] == nil, let author = object["author"]?.string { return author.shown }
      // A search result has the id of its message, and a conversation has its channel's.
      guard let id = (object["id"] ?? object["message"]?["id"] ?? object["channelId"])?.integer else {
        throw Refusal(text: "the output of this command has no names: -o name is for lists and objects", status: 64)
      }
      return "id:\(id)"
    }
    .joined(separator: "\n")
  }
}
