internal import Logging
internal import UnixSignals

/// All parts of a console, before it runs.
struct House: Sendable {
  let sessions = SessionStore()
  let logger: Logger
  private let hub: LiveHub
  private let pages: Listener
  private let metrics: Listener

  /// - Parameters:
  ///   - publicURL: the address under which a reverse proxy offers the console, if any.
  ///   - admission: decides who has access to a shared console. `nil` in the foreground.
  ///   - signInHelp: how people sign in.
  init(daemon: Daemon, publicURL: PublicURL?, admission: Admission?, signInHelp: String) throws {
    logger = Logger(label: "baton-console")
    hub = LiveHub(daemon: daemon, logger: logger)
    let renderer = Renderer(
      templates: try Templates(), assets: Assets(), signInHelp: signInHelp, socket: daemon.socket, logger: logger)
    let all = Pages(
      daemon: daemon, hub: hub, figures: SharedFigures(daemon: daemon, hub: hub), renderer: renderer, sessions: sessions,
      door: Door.CookieName(), isShared: admission != nil)
    let rule = HostRule(publicURL: publicURL)
    pages = Listener(
      responder: Routes.responder(all, rule: rule, admission: admission), prefix: publicURL?.path ?? "", logger: logger)
    metrics = Listener(responder: MetricsPage.responder(daemon, rule: rule, pages: renderer), prefix: "", logger: logger)
  }

  /// Serves listening sockets until a signal ends the process.
  /// - Parameter begun: called once the console serves. Tasks that it adds to the group end with the rest.
  func run(
    pages pageSockets: [CInt], metrics metricSockets: [CInt],
    begun: (inout ThrowingDiscardingTaskGroup<any Error>) -> Void
  ) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    do {
      try await serve(pageSockets, metricSockets, until: signals, begun: begun)
    } catch is Stopped {
      return
    }
  }

  /// A signal has arrived, and everything else ends with it.
  private struct Stopped: Error {}

  private func serve(
    _ pageSockets: [CInt], _ metricSockets: [CInt], until signals: UnixSignalsSequence,
    begun: (inout ThrowingDiscardingTaskGroup<any Error>) -> Void
  ) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for socket in pageSockets { group.addTask { try await pages.serve(socket) } }
      for socket in metricSockets { group.addTask { try await metrics.serve(socket) } }
      group.addTask { await hub.run() }
      group.addTask { await hub.runMessages() }
      group.addTask { await hub.runPosts() }
      group.addTask { await hub.runStatus() }
      group.addTask {
        while (try? await Task.sleep(for: LiveHub.beat)) != nil { await hub.wakeAll() }
      }
      group.addTask {
        for await _ in signals { break }
        throw Stopped()
      }
      begun(&group)
    }
  }
}
