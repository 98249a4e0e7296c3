internal import HTTPTypes
internal import Hummingbird

/// The addresses of pages.
enum Routes {
  static func responder(_ pages: Pages, rule: HostRule, admission: Admission? = nil) -> RouterResponder<ConsoleContext> {
    let router = Router(context: ConsoleContext.self, options: [.autoGenerateHeadEndpoints])
    let assets = pages.renderer.assets
    router.add(middleware: Gate(rule: rule, pages: pages.renderer))
    // Without signing in.
    router.get("assets/:version/:file") { request, context in
      guard
        let response = assets.response(context.parameters.get("file") ?? "", version: context.parameters.get("version") ?? "")
      else { throw HTTPError(.notFound) }
      return response
    }
    router.get("favicon.ico") { _, _ in assets.response("icon.svg", version: "") ?? Response(status: .notFound) }
    router.get("login", use: pages.signIn)
    router.post("login", use: pages.exchangeCode)
    router.post("theme", use: pages.theme)
    // Only for signed-in users.
    router.add(middleware: Door(sessions: pages.sessions, cookie: pages.door, pages: pages.renderer, admission: admission))
    router.get("", use: pages.overview)
    router.get("events", use: pages.events)
    router.post("logout", use: pages.signOut)
    router.get("sessions", use: pages.sessionList)
    router.post("sessions", use: pages.endSessions)
    router.get("channels", use: pages.channels)
    router.get("channels/new", use: pages.newChannel)
    router.post("channels", use: pages.createChannel)
    router.get("channels/:id", use: pages.channel)
    router.get("channels/:id/image", use: pages.image)
    router.get("channels/:id/progress", use: pages.progress)
    router.get("channels/:id/link", use: pages.link)
    router.get("channels/:id/messages", use: pages.conversation)
    router.post("channels/:id/messages", use: pages.publish)
    router.get("channels/:id/edit", use: pages.editChannel)
    router.post("channels/:id/edit", use: pages.updateChannel)
    router.get("channels/:id/delete", use: pages.confirmDelete)
    router.post("channels/:id/delete", use: pages.delete)
    router.post("channels/:id/cancel", use: pages.cancel)
    router.post("channels/:id/retry", use: pages.retry)
    router.post("channels/:id/verify", use: pages.verify)
    router.get("channels/:id/relays", use: pages.askForRelay)
    router.post("channels/:id/relays", use: pages.addRelays)
    router.get("channels/:id/remove", use: pages.confirmRemoval)
    router.post("channels/:id/remove", use: pages.removeRelay)
    router.post("channels/:id/read", use: pages.markRead)
    router.get("relays", use: pages.relays)
    router.get("relays/:id", use: pages.relay)
    router.post("relays/:id/enabled", use: pages.enableRelay)
    router.post("relays/:id/test", use: pages.testRelay)
    router.get("servers", use: pages.servers)
    router.post("servers/:id/test", use: pages.testServer)
    router.get("operators", use: pages.operators)
    router.get("history", use: pages.history)
    router.get("health", use: pages.health)
    router.get("daemon", use: pages.daemonPage)
    router.post("daemon/reload", use: pages.reload)
    router.post("daemon/log-level", use: pages.setLogLevel)
    router.post("daemon/backup", use: pages.backup)
    // The user may reload the page with the outcome, which is then gone.
    router.get("daemon/reload") { request, _ in pages.redirect(request, to: "daemon") }
    return router.buildResponder()
  }
}
