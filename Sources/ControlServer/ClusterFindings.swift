internal import Channels
internal import ControlAPI
internal import Storage

/// Findings about daemons that share a store, and about its database: present faults, and faults that the loss of a machine would cause.
struct ClusterFindings {
  private let daemons: [SharedStoreDaemon]
  private let cores: [Storage.SharedCore]
  private let database: SharedDatabase

  private init(_ sharing: any SharingStorage) async throws {
    (daemons, cores, database) = (try await sharing.daemons(), try await sharing.cores(), try await sharing.database())
  }

  /// The other findings do not fail if the database does not answer.
  static func warnings(of sharing: any SharingStorage) async -> [Finding] {
    do { return try await ClusterFindings(sharing).warnings } catch {
      let words = "cannot read the list of daemons that share the database: \(error)"
      return [
        Finding(kind: "daemonsUnreadable", severity: "warning", serverIds: [], relayIds: [], message: "\(words). Try again")
      ]
    }
  }

  private var warnings: [Finding] {
    var found: [Finding] = []
    func warn(_ kind: String, _ words: String) {
      found.append(Finding(kind: kind, severity: "warning", serverIds: [], relayIds: [], message: words))
    }
    // A daemon that was killed and has begun again leaves its former session behind, for a moment.
    let alive = Set(daemons.filter { $0.state == .alive }.map(\.name))
    for daemon in daemons where daemon.state == .silent && !alive.contains(daemon.name) {
      warn(
        "daemonSilent",
        "the daemon '\(daemon.name)' does not renew its session, so others take over its channels outside its chat core; "
          + "start it, or look at its machine and at its way to the database")
    }
    for core in cores where !core.isThere && core.channels > 0 {
      let words = core.channels == 1 ? "1 channel waits" : "\(core.channels) channels wait"
      warn("coreMissing", "\(words) for the chat core of the daemon '\(core.daemon)'. Start that daemon")
    }
    for daemon in daemons where daemon.hasOtherFiles(than: daemons) {
      warn(
        "declarationsDiffer",
        "the files that declare operators at the daemon '\(daemon.name)' differ from the files in force; "
          + "copy the files from one machine to the others, and run batonctl reload on each")
    }
    if abs(database.clockAhead) > SharedDatabase.clockWarning {
      warn("clocksDiffer", "\(database.clockWords). Set the clocks right")
    }
    if !database.hasSynchronousStandby {
      warn(
        "noStandby",
        "\(SharedDatabase.standbyWords). Set synchronous_standby_names = 'ANY 1 (…)' once there is a standby")
    }
    return found
  }
}
