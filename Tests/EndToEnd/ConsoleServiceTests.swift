import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing
import Varlink

/// The console as a service, on sockets that someone else made, for several users.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConsoleServiceTests {
  private static let own = String(cString: getpwuid(getuid()).pointee.pw_name)
  private static let ownGroup = String(cString: getgrgid(getgid()).pointee.gr_name)

  /// Starts a console with the given sockets.
  private func start(_ baton: Installation, _ sockets: [String], _ arguments: [String] = []) async throws -> Program {
    let notify = try NotifySocket(path: baton.folder.path + "/notify")
    let console = try Program(
      "/usr/bin/python3",
      [ThirdPartyRelay.scripts + "/hand_over.py"] + sockets + [
        "--", Program.products + "/baton-console", "--service", "--socket", baton.socket,
      ]
        + arguments, environment: ["NOTIFY_SOCKET": notify.path])
    while let word = await notify.next(), !word.contains("READY=1") {}
    return console
  }

  private func ask(
    _ path: String, _ method: String, _ page: String, _ fields: [String: String] = [:], body: String = ""
  ) async throws -> ConsolePages.Answer {
    let socket = try RawSocket(path: path)
    var head = "\(method) \(page) HTTP/1.1\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
    for (name, value) in fields.merging(["Host": "localhost"], uniquingKeysWith: { own, _ in own }) {
      head += "\(name): \(value)\r\n"
    }
    socket.send(Array((head + "\r\n" + body).utf8))
    return try ConsolePages.parse(await socket.receiveAll())
  }

  /// Gets an address on a socket, and signs in with its code on another one.
  private func signIn(_ http: String, _ login: String) async throws -> ConsolePages.Answer {
    let printed = try await Program.run("baton-console", ["--login", "--login-socket", login])
    let code = try #require(printed.lines.first, "\(printed)").suffix(32)
    return try await ask(http, "POST", "/login", ConsolePages.own, body: "code=\(code)")
  }

  @Test func usersOfTheMachineSignInWithACode() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let (http, login) = (baton.folder.path + "/http", baton.folder.path + "/login")
    let port = Program.freePort()
    let console = try await start(
      baton, ["http=\(http)", "http=127.0.0.1:\(port)", "login=\(login)"], ["--change-group", Self.ownGroup])
    let stranger = try await ask(http, "GET", "/")
    #expect(stranger.status == 401 && stranger.body.contains("batonctl console --login"))
    let printed = try await Program.run("baton-console", ["--login", "--login-socket", login, "--port", "\(port)"])
    #expect(printed.status == 0, "\(printed)")
    let address = try #require(printed.lines.first)
    #expect(address.contains(".baton.localhost:\(port)/login?code="))
    let code = address.suffix(32)
    let signedIn = try await ask(http, "POST", "/login", ConsolePages.own, body: "code=\(code)")
    let cookie = try #require(signedIn.cookie)
    let page = try await ask(http, "GET", "/daemon", ["Cookie": cookie])
    #expect(page.status == 200 && page.body.contains(Self.own) && page.body.contains("daemon/reload"), "it may change things")
    // What is done is in the log, with the name of whoever did it: the daemon knows only the console.
    #expect(try await ask(http, "POST", "/daemon/reload", ConsolePages.own.merging(["Cookie": cookie]) { $1 }).status == 200)
    try await console.line(containing: "\(Self.own): /daemon/reload, answered with 200")
    // The socket that gives codes has no pages, and the one with pages gives no codes.
    #expect(try await ask(http, "GET", "/login").body.contains("code=") == false)
    let refused = try await Program.run("baton-console", ["--login", "--login-socket", baton.folder.path + "/none"])
    #expect(refused.status == 69 && refused.lines.joined().contains("Does baton-console run as a service?"), "\(refused)")
    console.signal(SIGTERM)
    #expect(await console.status() == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func sessionsAreEndedFromTheList() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let (http, login) = (baton.folder.path + "/http", baton.folder.path + "/login")
    // Whoever may only look ends their own sessions, wherever they began.
    let console = try await start(
      baton, ["http=\(http)", "login=\(login)"], ["--read-only", "--change-group", Self.ownGroup])
    var cookies: [String] = []
    for _ in 0..<3 {
      let signedIn = try await signIn(http, login)
      #expect(signedIn.fields["location"] == "./login?done")
      cookies.append(try #require(signedIn.cookie))
    }
    try await console.line(containing: "\(Self.own) signed in")
    // Whoever comes back without the cookie is told so, instead of being asked again.
    let lost = try await ask(http, "GET", "/login?done")
    #expect(lost.status == 401 && lost.body.contains("did not keep the sign-in cookie"), "\(lost.status)")
    let kept = try await ask(http, "GET", "/login?done", ["Cookie": cookies[0]])
    #expect(kept.status == 303 && kept.fields["location"] == "./", "\(kept)")
    func own(_ cookie: String) async throws -> String {
      let page = try await ask(http, "GET", "/sessions", ["Cookie": cookie])
      #expect(page.body.matches(of: #/name="id" value="(\w+)"/#).count == 3, "\(page)")
      return String(try #require(page.body.firstMatch(of: #/this session(?:.|\n)*?name="id" value="(\w+)"/#)).output.1)
    }
    func end(_ form: String) async throws -> Int {
      try await ask(http, "POST", "/sessions", ConsolePages.own.merging(["Cookie": cookies[0]]) { $1 }, body: form).status
    }
    let victim = try await own(cookies[1])
    #expect(try await own(cookies[0]) != victim)
    #expect(try await end("id=\(victim)") == 303)
    #expect(try await ask(http, "GET", "/", ["Cookie": cookies[1]]).status == 401)
    #expect(try await ask(http, "GET", "/", ["Cookie": cookies[2]]).status == 200)
    #expect(try await end("") == 403, "those of everyone")
    console.signal(SIGTERM)
    #expect(await console.status() == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  /// While the daemon is away no one knows what the console may do: pages offer nothing, and what was sent is kept.
  @Test func whatWasTypedIsKeptWhileNobodyAnswers() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let (http, login) = (baton.folder.path + "/http", baton.folder.path + "/login")
    let console = try await start(baton, ["http=\(http)", "login=\(login)"], ["--change-group", Self.ownGroup])
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    let cookie = try #require(try await signIn(http, login).cookie)
    #expect(try await ask(http, "GET", "/", ["Cookie": cookie]).status == 503)
    let sessions = try await ask(http, "GET", "/sessions", ["Cookie": cookie])
    #expect(sessions.status == 200 && sessions.body.contains("(read-only)"), "\(sessions)")
    let form = ConsolePages.own.merging(["Cookie": cookie]) { $1 }
    let sent = try await ask(http, "POST", "/channels/1/messages", form, body: "key=k&text=It+rains")
    #expect(sent.status == 503 && sent.body.contains("name=\"text\" value=\"It rains\""), "\(sent)")
    let created = try await ask(http, "POST", "/channels", form, body: "key=k&name=Weather&relay=1")
    #expect(created.status == 503 && created.body.contains("Send form again") && created.body.contains("Weather"), "\(created)")
    console.signal(SIGTERM)
    #expect(await console.status() == 0)
  }

  @Test func aProxySaysWhoItIs() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let http = baton.folder.path + "/http"
    let port = Program.freePort()
    let console = try await start(
      baton, ["http=\(http)", "http=127.0.0.1:\(port)"],
      ["--proxy-user", Self.own, "--read-group", "nogroup", "--public-url", "https://baton.example/console"])
    func page(_ user: String, _ path: String = "/console/daemon") async throws -> ConsolePages.Answer {
      try await ask(http, "GET", path, ["X-Remote-User": user, "Host": "baton.example"])
    }
    let nobody = try await page("nobody")
    #expect(nobody.status == 200 && nobody.body.contains("nobody (read-only)") && !nobody.body.contains("daemon/reload"))
    #expect(try await page("nobody", "/daemon").status == 200, "a proxy may take the path away, too")
    let root = try await page("root")
    #expect(root.status == 200 && root.body.contains("daemon/reload") && !root.body.contains("Sign out"))
    for user in ["daemon", "no-such-user", "", "no one\u{0}"] {
      let answer = try await page(user)
      #expect([400, 401, 403].contains(answer.status), "\(user): \(answer.status)")
    }
    let origin = ["X-Remote-User": "nobody", "Host": "baton.example", "Origin": "https://baton.example"]
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    #expect(
      try await ask(http, "POST", "/console/daemon/reload", origin.merging(form) { $1 }).status == 403, "it may only look")
    let wrong = try await ask(http, "GET", "/", ["X-Remote-User": "root", "Host": "other.example"])
    #expect(wrong.status == 421 && wrong.body.contains("other.example"))
    // Whoever comes over loopback may say what they like.
    let socket = try RawSocket(port: UInt16(port))
    socket.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: root\r\nConnection: close\r\n\r\n".utf8))
    #expect(try ConsolePages.parse(await socket.receiveAll()).status == 401)
    console.signal(SIGTERM)
    #expect(await console.status() == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  /// systemd has a Varlink socket for each service whose figures it collects, and takes names that begin with that of the socket.
  @Test func systemdGetsFigures() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let (http, report) = (baton.folder.path + "/http", baton.folder.path + "/org.batond")
    let console = try await start(baton, ["http=\(http)", "report=\(report)"])
    let client = try await VarlinkClient.connect(path: report)
    func all(_ method: String) async throws -> [[String: JSONValue]] {
      var replies: [[String: JSONValue]] = []
      for try await reply in client.callMore("io.systemd.Metrics.\(method)", [:]) { replies.append(reply.parameters) }
      return replies
    }
    let (figures, families) = (try await all("List"), try await all("Describe"))
    let names = Set(families.compactMap { $0["name"]?.string })
    #expect(names.count == families.count && names.count > 30)
    // What happens for the first time in between has a name more.
    #expect(
      Set(figures.compactMap { $0["name"]?.string }).isSubset(of: names) && figures.count > 30
        && names.allSatisfy { $0.hasPrefix("org.batond.") })
    #expect(
      families.allSatisfy { ["counter", "gauge"].contains($0["type"]?.string) && $0["description"]?.string?.isEmpty == false })
    let writable = figures.first { $0["name"] == "org.batond.StoreWritable" }
    #expect(writable?["value"] == 1)
    #expect(figures.contains { $0["name"] == "org.batond.Relays" && $0["fields"]?["network"] == "nostr" })
    await #expect(throws: VarlinkError.self) { try await client.call("org.batond.Daemon.Status") }
    await #expect(throws: VarlinkError.self) { try await client.call("io.systemd.Metrics.List") }
    // varlinkctl of systemd reads it as systemd does.
    let varlinkctl = Program.repository + "/.build/varlinkctl/varlinkctl"
    if FileManager.default.isExecutableFile(atPath: varlinkctl) {
      let shown = try await Program.run(varlinkctl, ["call", "--more", report, "io.systemd.Metrics.Describe", "{}"])
      #expect(shown.status == 0 && shown.lines.joined().contains("org.batond.StoreWritable"), "\(shown)")
    }
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    await #expect(throws: VarlinkError("io.systemd.Metrics.NoSuchMetric")) { try await all("List") }
    await client.close()
    console.signal(SIGTERM)
    #expect(await console.status() == 0)
  }

  @Test func onlyThisMachineIsServed() async throws {
    let baton = try Installation()
    let port = Program.freePort()
    let console = try await Program.run(
      "/usr/bin/python3",
      [
        ThirdPartyRelay.scripts + "/hand_over.py", "http=0.0.0.0:\(port)", "--", Program.products + "/baton-console",
        "--service",
      ])
    #expect(console.status == 71 && console.lines.joined().contains("can be reached from other machines"), "\(console)")
    let none = try await Program.run("baton-console", ["--service", "--socket", baton.socket])
    #expect(none.status == 71 && none.lines.joined().contains("systemd handed over no socket"), "\(none)")
    for arguments in [
      ["--service", "--login"], ["--read-only", "--login"], ["--service", "--port", "1"], ["--proxy-user", "root"],
      ["--public-url", "x"],
    ] {
      #expect(try await Program.run("baton-console", arguments).status == 64, "\(arguments)")
    }
  }
}
