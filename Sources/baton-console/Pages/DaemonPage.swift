internal import BatonClient
internal import ControlAPI
internal import Hummingbird
internal import NIOCore
internal import Sentences
internal import StrictJSON
internal import Varlink

// The daemon itself.
extension Pages {
  func daemonPage(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try await daemonPage(request, context, outcome: nil)
  }

  private func daemonPage(_ request: Request, _ context: ConsoleContext, outcome: View?) async throws -> Response {
    let revision = await hub.revision
    async let asked = daemon.ask { try await $0.daemon.status() }
    async let others = daemon.ask { try await $0.daemon.cluster() }
    async let logged = daemon.ask { try await $0.service.getLogLevel() }
    let times = Times()
    let status = try await asked
    let level = try await logged
    let cluster = try await others
    let view: View = [
      "summary": .text(status.summary), "version": .text(status.version), "pid": .number(status.pid),
      "started": times.view(status.startedAt), "networks": .text(status.networks.joined(separator: ", ")),
      "revision": .number(status.revision), "subscribers": .number(status.subscribers),
      "storage": Mark.view(status.storageWorks ? "up" : "down"), "storageTrouble": .some(status.storageTrouble),
      "damage": .some(status.damage), "files": .some(status.declarationsTrouble), "socket": .text(daemon.socket),
      "levels": .views(
        Self.levels.map { ["word": .number($0.number), "title": .text($0.name), "isHere": .flag($0.number == Int64(level))] }),
      "outcome": outcome.map { .view($0) }, "isShared": .flag(cluster.shared),
      "daemons": .views(
        cluster.daemons.map { daemon in
          [
            "name": .text(daemon.name), "state": Mark.view(daemon.state), "version": .text(daemon.version),
            "slots": .number(daemon.slots),
            "isOwn": .flag(daemon.own), "work": .some(Self.work(daemon)),
            "since": times.view(daemon.since),
          ]
        }),
    ]
    return renderer.page("daemon", title: "Daemon", section: .daemon, view, revision: revision, request, context)
  }

  /// The work of a daemon in a cluster, apart from its slots.
  private static func work(_ daemon: SharingDaemon) -> String {
    let words = [
      daemon.catalog ? "catalog" : nil, daemon.core ? "core" : nil, daemon.draining ? "draining" : nil,
      daemon.otherFiles ? "other files" : nil,
    ]
    return words.compactMap(\.self).joined(separator: ", ")
  }

  /// Loads the configuration and the files of operators again, and shows the outcome.
  func reload(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let outcome: View
    do {
      let report = try await daemon.ask { try await $0.daemon.reload() }
      outcome = [
        "good": .text(
          "\(counted(report.files, "file")) read: \(counted(report.operators, "operator")), "
            + "\(counted(report.servers, "server")), \(counted(report.relays, "relay"))."),
        "options": .some(report.options.joined(separator: ", ")),
        "restart": .some(report.needRestart.joined(separator: ", ")),
      ]
    } catch let error as VarlinkError where error.name.hasSuffix(".InvalidConfiguration") {
      let problems = (try? [Problem](json: error.parameters["problems"] ?? [])) ?? []
      outcome = [
        "bad": "The files contain errors. Nothing was changed.",
        "problems": .views(
          problems.map { problem in
            let place = [problem.file, problem.line.map { "line \($0)" }, problem.column.map { "column \($0)" }]
            return ["place": .text(place.compactMap(\.self).joined(separator: ", ")), "text": .text(problem.text)]
          }),
      ]
    }
    return try await daemonPage(request, context, outcome: outcome)
  }

  /// Levels of the log, as syslog counts them.
  private static let levels: [(number: Int64, name: String)] = [
    (2, "critical"), (3, "error"), (4, "warning"), (5, "notice"), (6, "info"), (7, "debug"),
  ]

  /// Sets the least severe level that the daemon logs, until its next start.
  func setLogLevel(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    guard let level = try await form(request, context).number("level"), Self.levels.contains(where: { $0.number == level })
    else {
      throw PageRefusal(
        status: .badRequest, what: "Unknown log level", help: "Choose one on the page Daemon.")
    }
    try await daemon.ask { try await $0.service.setLogLevel(level: Int(level)) }
    return redirect(request, to: "daemon")
  }

  /// A copy of the database, piece by piece as the daemon makes it. An incomplete copy ends before its announced length, so that no browser
  /// considers it complete.
  func backup(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    try requireChange(context)
    let reader = BackupReader(try await daemon.connect())
    // The daemon refuses a copy before its first piece.
    guard let first = try await reader.next() else { throw BackupReader.Broken() }
    let body = ResponseBody(contentLength: first.size) { writer in
      do {
        try await writer.write(ByteBuffer(bytes: first.bytes))
        while let piece = try await reader.next() { try await writer.write(ByteBuffer(bytes: piece.bytes)) }
        try await writer.finish(nil)
      } catch {
        await reader.abandon()
        throw error
      }
    }
    let day = Times.stamp(SessionStore.now.wall).prefix(10)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/octet-stream", .contentDisposition: "attachment; filename=\"baton-\(day).db\"",
        .contentLength: String(first.size),
      ], body: body)
  }
}
