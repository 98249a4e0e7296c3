internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Glibc
internal import Sentences
internal import StrictJSON

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy the daemon's database to a file",
    discussion: """
      The copy is consistent, although the daemon continues to run. Its secret keys are encrypted with the daemon's key \
      file, which is not part of the copy: keep a copy of that file in another place. batond restore FILE restores the \
      database.

      Example:
        batonctl backup /var/backups/baton.db
      """)
  @Argument(help: "File to create. It must not exist yet.", completion: .file()) var file: String
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      func refusal() -> Refusal { Refusal(text: "cannot create \(file): \(String(cString: strerror(errno)))", status: 64) }
      var status = stat()
      guard lstat(file, &status) != 0 else {
        errno = EEXIST
        throw refusal()
      }
      // The file gets its name when the copy is complete, so that an interrupted copy is not mistaken for a backup.
      let part = file + ".part"
      unlink(part)
      let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw refusal() }
      defer { unlink(part) }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      var size = 0
      var wanted = -1
      for try await reply in try await session.client.daemon.backup() {
        guard let piece = Data(base64Encoded: reply.data) else { break }
        try Self.written(part) { try handle.write(contentsOf: piece) }
        size += piece.count
        wanted = reply.size
      }
      try Self.written(part) { try handle.synchronize() }
      guard size == wanted else { throw Refusal(text: "the daemon stopped before the copy was complete", status: 69) }
      guard link(part, file) == 0 else { throw refusal() }
      try session.show(JSONValue.object(["file": .string(file), "size": .integer(Int64(size))])) {
        "Copied \(size) bytes to \(file)."
      }
    }
  }

  private static func written(_ path: String, _ body: () throws -> Void) throws {
    do { try body() } catch {
      throw Refusal(text: "cannot write \(path): \(error.localizedDescription)", status: Output.Failure.status)
    }
  }
}

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the daemon's database for damage",
    discussion: """
      Exit status: 0 no damage, 1 damage.

      Example:
        batonctl check
      """)
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let found = try await session.client.daemon.check()
      let (channels, problems) = (found.channels, found.problems)
      let json: JSONValue = ["channels": .integer(Int64(channels)), "problems": .array(problems.map(JSONValue.string))]
      try session.show(json) {
        problems.isEmpty
          ? "The database is sound. \(counted(channels, "channel")) \(channels == 1 ? "was" : "were") checked."
          : problems.joined(separator: "\n")
      }
      if !problems.isEmpty { throw ExitCode(1) }
    }
  }
}

struct LogLevel: AsyncParsableCommand {
  private static let names = ["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"]

  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Print or change the daemon's log level",
    discussion: """
      The daemon logs messages of this level and of more severe ones. A change lasts until the daemon's next start.

      Example:
        batonctl log-level debug
      """)
  @Argument(
    help: "critical, error, warning, notice, info, debug, or configured. Default: print the current level.",
    completion: .list(names.dropFirst(2) + ["configured"]))
  var level: String?
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard let level, level != "configured", !Self.names.contains(level) else { return }
    throw ValidationError("'\(level)' is not one of \(Self.names.dropFirst(2).joined(separator: ", ")) and configured.")
  }

  func run() async throws {
    try await global.connected { session in
      if let level { try await session.client.service.setLogLevel(level: Self.names.firstIndex(of: level)) }
      let now = try await session.client.service.getLogLevel()
      let name = Self.names.indices.contains(now) ? Self.names[now] : "\(now)"
      try session.show(JSONValue.object(["level": .string(name)])) { name }
    }
  }
}

struct Metrics: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the daemon's metrics",
    discussion: """
      The table leaves out counters that are 0. For a histogram it shows the sum and the number of values.

      --prometheus prints all metrics for the textfile collector of node_exporter, except process metrics, whose names \
      node_exporter uses itself. Write a temporary file and rename it to a name that ends in .prom.

      Example:
        batonctl metrics --prometheus
      """)
  @Flag(help: "Print the text format of Prometheus.") var prometheus = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connected { session in
      let metrics = try await session.client.daemon.metrics()
      if prometheus {
        let own = metrics.filter { !$0.name.hasPrefix("process_") }
        return try session.show(own) { String(MetricText.page(of: own).dropLast()) }
      }
      try session.show(metrics) {
        session.table(Self.columns, metrics.filter { $0.kind != "counter" || $0.value != 0 })
      }
    }
  }

  private static let columns: [TableColumn<Metric>] = [
    TableColumn("NAME", rank: 0, least: 16) { $0.name },
    TableColumn("LABEL", rank: 2) { $0.label ?? "" },
    TableColumn("VALUE", rank: 1) { metric in
      let value = metric.value == metric.value.rounded() ? String(format: "%.0f", metric.value) : "\(metric.value)"
      return metric.buckets.map { "\(value) in \($0.last?.count ?? 0)" } ?? value
    },
    TableColumn("WHAT", rank: 3, least: 16) { $0.description },
  ]
}
