import Foundation
import Glibc
import TestTools
import Testing

/// The console over a real daemon, as a program of any kind meets it.
@Suite(.timeLimit(.minutes(10)))
struct ConsoleTests {
  /// Every page, with the path of each.
  private static let pages = [
    "/", "/channels", "/channels/1", "/channels/1/messages", "/channels/1/edit", "/channels/1/delete", "/channels/1/relays",
    "/channels/1/remove?relay=1",
    "/channels/1/progress",
    "/channels/1/link", "/channels/new", "/relays", "/relays/1", "/servers", "/operators", "/history", "/health", "/daemon",
    "/sessions",
  ]
  /// Pages with forms that those who only look are not shown.
  private static let changing = [
    "/channels/new", "/channels/1/edit", "/channels/1/delete", "/channels/1/relays", "/channels/1/remove?relay=1",
  ]

  @Test func everyPageIsThereForThoseWhoAreSignedIn() async throws {
    let stage = try await ConsoleStage()
    for path in Self.pages {
      let page = try await stage.console.get(path, stage.cookie)
      #expect(page.status == 200 && page.body.contains("<h1") && page.body.hasSuffix("</html>\n"), "\(path): \(page.status)")
      #expect(page.fields["content-type"] == "text/html; charset=utf-8")
      // Whatever is in the page, only its own files run, and no one frames it.
      let policy = page.fields["content-security-policy"] ?? ""
      for part in [
        "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'",
      ] {
        #expect(policy.contains(part), "\(path): \(policy)")
      }
      #expect(page.fields["cache-control"] == "no-store" && page.fields["x-content-type-options"] == "nosniff", "\(path)")
      let stranger = try await stage.console.ask("GET", path)
      #expect(stranger.status == 401 && !stranger.body.contains("News"), "\(path): \(stranger.status)")
      #expect(stranger.fields["content-security-policy"] == policy)
    }
    let others: [(path: String, status: Int)] = [
      ("/nothing", 404), ("/channels/0", 404), ("/channels/x", 404), ("/channels/99", 404), ("/relays/99", 404),
      ("/assets/x/y", 404), ("/channels/1/nothing", 404), ("/channels?phase=none", 422), ("/channels?q=%zz", 400),
    ]
    for (path, status) in others {
      let page = try await stage.console.get(path, stage.cookie)
      #expect(page.status == status && page.fields["content-security-policy"] != nil, "\(path): \(page.status)")
      // Whoever is signed in finds the way on.
      #expect(
        page.body.contains("aria-label=\"Main\"") || path.hasPrefix("/assets"),
        "\(path): \(page.body.prefix(300))")
    }
    // Histories take numbers and names, and do not show everything when a name is wrong.
    for (query, status) in [
      ("relay=r1", 200), ("relay=1", 200), ("relay=r9", 404), ("channel=News", 200), ("channel=Olds", 404),
    ] {
      #expect(try await stage.console.get("/history?\(query)", stage.cookie).status == status, "\(query)")
    }
    // Where there is nothing, a reverse proxy may be at fault, and whoever signs in finds nothing all the same.
    let misled = try await stage.console.ask("GET", "/console/login?code=1")
    #expect(misled.status == 404 && misled.body.contains("--public-url"), "\(misled)")
    // No one has to ask again for what does not change, and no one keeps what does.
    let style = try #require(
      try await stage.console.get("/", stage.cookie).body.firstMatch(of: #/href="\.(\/assets\/[^"]*\.css)"/#)?.output.1)
    let kept = try await stage.console.ask("GET", String(style))
    #expect(kept.status == 200 && kept.fields["cache-control"]?.contains("immutable") == true)
    #expect(try await stage.console.ask("GET", "/assets/old/console.css").fields["cache-control"] == "no-store")
    await stage.end()
  }

  @Test func aCodeLetsOneBrowserIn() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let console = try await ConsolePages(baton)
    // To look at the address uses nothing up: programs that preview links do so.
    for _ in 0..<3 {
      let page = try await console.ask("GET", "/login?code=\(console.code)")
      #expect(page.status == 200 && page.body.contains("Open the console") && page.cookie == nil)
    }
    let cookie = try await console.signIn()
    #expect(cookie.hasPrefix("__Host-baton-"))
    let again = try await console.ask("POST", "/login", ConsolePages.own, body: "code=\(console.code)")
    #expect(again.status == 401 && again.cookie == nil && again.body.contains("already used"))
    for forged in ["\(cookie)0", String(cookie.dropLast()), "__Host-baton-0=\(cookie.split(separator: "=")[1])", "x=y", ""] {
      #expect(try await console.get("/", forged).status == 401, "\(forged)")
    }
    let page = try await console.get("/sessions", cookie)
    let token = String(cookie.split(separator: "=")[1])
    #expect(page.status == 200 && !page.body.contains(token) && !page.body.contains(console.code))
    // Signing out ends it on the server, whatever the browser keeps.
    let out = try await console.post("/logout", cookie)
    #expect(out.status == 303 && out.fields["set-cookie"]?.contains("Max-Age=0") == true)
    #expect(try await console.get("/", cookie).status == 401)
    // What someone sends who was signed out meanwhile is on the page, to be sent after signing in, if that does it once.
    let kept = try await console.ask("POST", "/channels/1/messages", ConsolePages.own, body: "key=p1&text=%3Cb%3Ekept")
    #expect(
      kept.status == 401 && kept.body.contains("name=\"text\" value=\"&lt;b&gt;kept\"") && kept.body.contains("Send form again")
    )
    let other = try await console.ask("POST", "/channels/1/retry", ConsolePages.own, body: "relay=1")
    #expect(other.status == 401 && !other.body.contains("Send form again"))
    console.program.signal(SIGTERM)
    #expect(await console.program.status() == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func otherSitesChangeNothing() async throws {
    let stage = try await ConsoleStage()
    let (console, cookie) = (stage.console, stage.cookie)
    let here = "http://baton.localhost:\(console.port)"
    // Names that someone else may have given to this machine.
    for host in ["evil.test", "evil.test:\(console.port)", "127.0.0.2:\(console.port)", "", "x y"] {
      for path in ["/", "/assets/x/console.js", "/events", "/login", "/nothing"] {
        let page = try await console.get(path, cookie, ["Host": host])
        #expect(page.status == 421 && page.body.contains("--public-url"), "\(host) \(path): \(page.status)")
        #expect(!page.body.contains("News"))
      }
    }
    // Forms of other pages, with the cookie that the browser would send.
    let foreign: [[String: String]] = [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "cross-site", "Origin": here],
      ["Origin": "http://evil.test"], ["Origin": "http://baton.localhost:1"], ["Origin": "null"], [:],
    ]
    for fields in foreign {
      let sent = fields.merging(["Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"]) { own, _ in own }
      let answer = try await console.ask("POST", "/channels/1/delete", sent, body: "name=News")
      #expect(answer.status == 403 && answer.body.contains("Nothing was changed"), "\(fields): \(answer.status)")
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
      #expect(try await console.ask(method, "/channels/1", ["Cookie": cookie]).status == 405, "\(method)")
    }
    // Looking changes nothing, whatever the address is.
    for path in ["/channels/1/retry", "/channels/1/cancel", "/channels/1/read", "/logout", "/relays/1/test"] {
      #expect(try await console.get(path, cookie).status == 404, "\(path)")
    }
    #expect(try await stage.baton.control("channel", "show", "News", "--json").lines.joined().contains("\"phase\":\"active\""))
    // The console's own form does.
    let own = ["Origin": here, "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"]
    let wrong = try await console.ask("POST", "/channels/1/delete", own, body: "name=news")
    #expect(wrong.status == 422 && wrong.body.contains("Nothing was deleted"))
    let right = try await console.ask("POST", "/channels/1/delete", own, body: "name=News")
    #expect(right.status == 303 && right.fields["location"] == "../../channels/1?done=deleted")
    await stage.end()
  }

  @Test func whoMayOnlyLookIsOfferedNothingElse() async throws {
    let stage = try await ConsoleStage(["--read-only"])
    for path in Self.pages where !Self.changing.contains(path) {
      let page = try await stage.console.get(path, stage.cookie)
      #expect(page.status == 200)
      let forms = page.body.matches(of: #/method="post" action="([^"]*)"/#).map { $0.output.1.drop { "./".contains($0) } }
      #expect(Set(forms).isSubset(of: ["logout", "theme", "sessions"]), "\(path): \(forms)")
    }
    for path in Self.changing {
      #expect(try await stage.console.get(path, stage.cookie).status == 403, "\(path)")
    }
    let acts = [
      "/channels", "/channels/1/retry", "/channels/1/verify", "/channels/1/relays", "/channels/1/read", "/channels/1/remove",
      "/channels/1/delete",
      "/channels/1/cancel", "/channels/1/edit", "/channels/1/messages", "/relays/1/enabled", "/relays/1/test",
      "/servers/1/test",
      "/daemon/reload", "/daemon/backup", "/daemon/log-level",
    ]
    for path in acts { #expect(try await stage.console.post(path, stage.cookie, "name=News&relay=1").status == 403, "\(path)") }
    #expect(try await stage.baton.control("channel", "show", "News", "--json").lines.joined().contains("\"phase\":\"active\""))
    await stage.end()
  }

  @Test func changesOfPagesAreMade() async throws {
    let stage = try await ConsoleStage()
    let (console, cookie) = (stage.console, stage.cookie)
    // A form that is sent twice makes one channel.
    let form = "key=k1&name=Weather&description=Rain%0D%0Aor+not&relay=1"
    let first = try await console.post("/channels", cookie, form)
    let second = try await console.post("/channels", cookie, form)
    #expect(first.status == 303 && first.fields["location"] == "./channels/2/progress", "\(first)")
    #expect(second.fields["location"] == first.fields["location"])
    // What was refused can be mended.
    let refused = try await console.post("/channels", cookie, "key=k2&name=a%E2%80%8Bb&description=kept&relay=1")
    #expect(
      refused.status == 422 && refused.body.contains("kept") && refused.body.contains("value=\"a\u{200B}b\""), "\(refused)")
    #expect(try await console.post("/channels", cookie, "key=k3&name=x&relay=99").status == 422)

    let page = try await console.get("/channels/2/edit", cookie)
    let revision = try #require(page.body.firstMatch(of: #/name="revision" value="(\d+)"/#)?.output.1)
    let seen = "revision=\(revision)&edition=1"
    // Relays may have come meanwhile; what readers see has not changed.
    let edited = try await console.post("/channels/2/edit", cookie, "\(seen)&name=Weather+2&description=Rain&heal=yes")
    #expect(edited.status == 303, "\(edited)")
    let stale = try await console.post("/channels/2/edit", cookie, "\(seen)&name=Weather+3")
    #expect(stale.status == 409 && stale.body.contains("Weather 2") && stale.body.contains("value=\"Weather 3\""), "\(stale)")

    let posted = try await console.post("/channels/2/messages", cookie, "key=p1&text=It+rains.%0D%0AA+lot.")
    #expect(posted.status == 303, "\(posted)")
    #expect(try await console.post("/channels/2/messages", cookie, "key=p1&text=It+rains.%0D%0AA+lot.").status == 303)
    let said = try await stage.baton.control("post", "list", "Weather 2", "--json")
    #expect(
      said.lines.joined().contains("It rains.\\nA lot.") && said.lines.joined().matches(of: #/"networkId"/#).count == 1,
      "\(said)")
    let empty = try await console.post("/channels/2/messages", cookie, "key=p2&text=")
    #expect(empty.status == 422, "\(empty.status)")

    let test = try await console.post("/relays/1/test", cookie)
    #expect(test.status == 200 && test.body.contains("The test") && test.body.contains("read back"), "\(test.body.suffix(600))")
    let relay = try await console.get("/relays/1", cookie)
    #expect(relay.body.contains(">Disable relay<"))
    #expect(try await console.post("/relays/1/enabled", cookie, "enabled=no").status == 303)
    #expect(try await console.get("/relays/1", cookie).body.contains("disabled: not picked for new channels"))
    // The form says what it is to be, so that whoever sends it twice is not refused.
    for _ in 0..<2 { #expect(try await console.post("/relays/1/enabled", cookie, "enabled=yes").status == 303) }
    #expect(try await console.get("/relays/1", cookie).body.contains(">Disable relay<"))

    let last = try await console.post("/channels/2/remove", cookie, "relay=1")
    #expect(last.status == 422 && last.body.contains("last relay"), "\(last.status)")
    #expect(try await console.post("/channels/2/cancel", cookie).status == 409, "it has a post")
    #expect(try await console.post("/channels/1/verify", cookie).status == 303)

    // A copy of the database, whole.
    let copy = try await console.raw("/daemon/backup", cookie)
    let head = String(decoding: copy.prefix(2000), as: UTF8.self)
    #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("attachment; filename=\"baton-20"), "\(head.prefix(400))")
    let begin = try #require(copy.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
    let length = head.firstMatch(of: #/(?i)content-length: (\d+)/#).flatMap { Int($0.output.1) }
    #expect(copy.count - begin == length && copy[begin...].starts(with: Array("SQLite format 3\0".utf8)))
    #expect(try await console.post("/daemon/log-level", cookie, "level=4").status == 303)
    #expect(try await stage.baton.control("log-level").lines == ["warning"])
    #expect(try await console.post("/daemon/log-level", cookie, "level=9").status == 400)

    let reloaded = try await console.post("/daemon/reload", cookie)
    #expect(reloaded.status == 200 && reloaded.body.contains("0 files read"), "\(reloaded.body)")
    try "operators: [".write(toFile: stage.baton.operators + "/broken.yaml", atomically: true, encoding: .utf8)
    let broken = try await console.post("/daemon/reload", cookie)
    #expect(broken.body.contains("Nothing was changed") && broken.body.contains("broken.yaml"), "\(broken.body)")
    await stage.end()
  }

  @Test func pagesSayThatTheDaemonIsAway() async throws {
    let stage = try await ConsoleStage()
    stage.daemon.signal(SIGTERM)
    #expect(await stage.daemon.status() == 0)
    let page = try await stage.console.get("/channels", stage.cookie)
    #expect(page.status == 503 && page.body.contains("The daemon does not answer") && page.body.contains("Is batond running?"))
    #expect(try await stage.console.get("/sessions", stage.cookie).status == 200)
    let daemon = try await stage.baton.start()
    #expect(try await stage.console.get("/channels", stage.cookie).status == 200)
    stage.console.program.signal(SIGINT)
    #expect(await stage.console.program.status() == 0)
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func withoutADaemonThereIsNoConsole() async throws {
    let baton = try Installation()
    let result = try await Program.run("baton-console", ["--socket", baton.socket])
    #expect(result.status == 69 && result.lines.joined().contains("Is batond running?"), "\(result)")
    let busy = try SilentListener()
    let daemon = try await baton.start()
    let taken = try await Program.run("baton-console", ["--socket", baton.socket, "--port", "\(busy.port)"])
    #expect(taken.status == 71 && taken.lines.joined().contains("port \(busy.port)"), "\(taken)")
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }

  @Test func requestsOfAnyKindAreAnswered() async throws {
    let stage = try await ConsoleStage()
    let long = String(repeating: "a", count: 20_000)
    let requests = [
      "GET / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "\r\n\r\n",
      "GET /\(long) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\nConnection: close\r\n\r\n",
      "NOTHING / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n",
      "GET http://evil.test/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      "POST /login HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\nContent-Length: 99999999\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n"
        + long + long + long + long,
      "POST /login HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: none\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
      "GET /channels?q=%zz HTTP/1.1\r\nHost: localhost\r\nCookie: \(stage.cookie)\r\nConnection: close\r\n\r\n",
      "GET /channels?\(String(repeating: "a=b&", count: 2000)) HTTP/1.1\r\nHost: localhost\r\nCookie: \(stage.cookie)\r\nConnection: close\r\n\r\n",
      "GET /channels?cursor=x&phase=none&cause=%00&relay=99999999999999999999 HTTP/1.1\r\nHost: localhost\r\nCookie: \(stage.cookie)\r\nConnection: close\r\n\r\n",
    ]
    var answered = 0
    for request in requests {
      let bytes = try await stage.console.send(Array(request.utf8))
      // What is no request is not answered; all others are refused by name.
      if let answer = try? ConsolePages.parse(bytes) {
        answered += 1
        #expect((400..<500).contains(answer.status), "\(request.prefix(80)): \(answer.status)")
      }
      #expect(!String(decoding: bytes, as: UTF8.self).contains("News"), "\(request.prefix(80))")
    }
    #expect(answered >= requests.count - 3, "\(answered) of \(requests.count)")
    #expect(try await stage.console.get("/", stage.cookie).status == 200)
    await stage.end()
  }
}
