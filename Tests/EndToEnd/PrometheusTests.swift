import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

enum Prometheus {
  static let isInstalled = ["/usr/bin/prometheus", "/usr/bin/promtool"].allSatisfy(FileManager.default.isExecutableFile)
  static let rules = Program.repository + "/packaging/prometheus"
}

/// Figures, rules for alerts and the dashboard, as Debian's Prometheus has them.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: Prometheus.isInstalled, "prometheus is not installed"))
struct PrometheusTests {
  private func promtool(_ arguments: [String], in folder: String = Prometheus.rules) async throws {
    // Rules name other files relative to the folder that it runs in.
    let result = try await Program.run("/usr/bin/env", ["--chdir", folder, "promtool"] + arguments)
    #expect(result.status == 0, "promtool \(arguments): \(result.lines.joined(separator: "\n"))")
  }

  private static func dashboard() throws -> [String] {
    let text = try String(contentsOfFile: Prometheus.rules + "/baton.dashboard.json", encoding: .utf8)
    let panels = try JSONParser.parse(text)["panels"]?.array ?? []
    return panels.flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
  }

  @Test func rulesAndDashboardAreValid() async throws {
    try await promtool(["check", "rules", "baton.rules.yml"])
    try await promtool(["test", "rules", "baton.rules.test.yml"])
    // promtool does not read dashboards; as rules it reads their expressions.
    let folder = try TemporaryFolder()
    let rules = try Self.dashboard().enumerated().map { index, expression in
      "      - {record: \"panel:\(index)\", expr: \(JSONValue.string(expression).text)}"
    }
    #expect(rules.count > 10)
    let text = "groups:\n  - name: panels\n    rules:\n" + rules.joined(separator: "\n") + "\n"
    try text.write(toFile: folder.path + "/panels.yml", atomically: true, encoding: .utf8)
    try await promtool(["check", "rules", "panels.yml"], in: folder.path)
  }

  /// Asks Prometheus, and waits until the answer is what is wanted. Who waits too long is ended by the limit of the suite.
  private func ask(_ port: UInt16, _ path: String, until isWanted: (JSONValue) -> Bool) async throws {
    while true {
      try Task.checkCancellation()
      let socket = try RawSocket(port: port)
      socket.send(Array("GET \(path) HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
      let answer = try ConsolePages.parse(await socket.receiveAll())
      if answer.status == 200, let json = try? JSONParser.parse(answer.body), isWanted(json) { return }
      await Task.yield()
    }
  }

  @Test func anAlertFiresWhenARelayDies() async throws {
    let relay = try ThirdPartyRelay()
    let server = try await relay.start()
    let baton = try Installation(["BATON_NOSTR_DIAL_TIMEOUT": "5s", "BATON_NOSTR_REDIAL_MAX": "1s"])
    let daemon = try await baton.start()
    try await baton.addRelays([relay.url])
    _ = try await baton.createChannel("News", relays: ["r1"])
    let port = Program.freePort()
    let console = try await ConsolePages(baton, ["--metrics-port", "\(port)"])
    // What is there is what Prometheus may read, in both formats.
    let page = try await console.at(UInt16(port)).ask("GET", "/metrics")
    #expect(page.status == 200 && page.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    let folder = try TemporaryFolder()
    try page.body.write(toFile: folder.path + "/page", atomically: true, encoding: .utf8)
    let checked = try await Program.run("/bin/sh", ["-c", "promtool check metrics < \(folder.path)/page"])
    #expect(checked.status == 0, "\(checked.lines)")
    let open = try await console.at(UInt16(port)).ask(
      "GET", "/metrics", ["Accept": "application/openmetrics-text; version=1.0.0"])
    #expect(open.fields["content-type"]?.hasPrefix("application/openmetrics-text") == true && open.body.hasSuffix("# EOF\n"))
    for path in ["/", "/channels", "/login"] {
      #expect(try await console.at(UInt16(port)).ask("GET", path).status == 404, "\(path) is not there")
    }
    #expect(try await console.at(UInt16(port)).ask("GET", "/metrics", ["Host": "evil.test"]).status == 421)

    // The rules as they are, without the time for which something must last.
    let rules = try String(contentsOfFile: Prometheus.rules + "/baton.rules.yml", encoding: .utf8)
    try rules.replacing(#/for: \d+[mh]/#, with: "for: 1s")
      .write(toFile: folder.path + "/baton.rules.yml", atomically: true, encoding: .utf8)
    try """
    global: {scrape_interval: 1s, evaluation_interval: 1s}
    rule_files: [baton.rules.yml]
    scrape_configs:
      - job_name: baton
        static_configs: [{targets: ["127.0.0.1:\(port)"]}]

    """.write(toFile: folder.path + "/prometheus.yml", atomically: true, encoding: .utf8)
    let web = UInt16(Program.freePort())
    let prometheus = try Program(
      "/usr/bin/prometheus",
      [
        "--config.file=\(folder.path)/prometheus.yml", "--storage.tsdb.path=\(folder.path)/data",
        "--web.listen-address=127.0.0.1:\(web)",
      ])
    try await prometheus.line(containing: "Server is ready to receive web requests")
    func value(_ json: JSONValue) -> String? { json["data"]?["result"]?.array?.first?["value"]?.array?.last?.string }
    try await ask(web, "/api/v1/query?query=baton_relays%7Bhealth%3D%22up%22%7D") { value($0) == "1" }
    // Nothing is wrong yet, as far as the rules go.
    try await ask(web, "/api/v1/rules") { json in
      let rules = (json["data"]?["groups"]?.array ?? []).flatMap { $0["rules"]?.array ?? [] }
      return rules.count > 10 && rules.allSatisfy { $0["health"]?.string == "ok" }
    }
    for expression in try Self.dashboard() {
      // Grafana puts its own values in the place of these.
      let plain = expression.replacing("$__rate_interval", with: "5m")
      let query = plain.utf8.map { byte in
        let digits = String(byte, radix: 16)
        return "%" + (digits.count == 1 ? "0\(digits)" : digits)
      }
      try await ask(web, "/api/v1/query?query=\(query.joined())") { $0["status"]?.string == "success" }
    }
    server.signal(SIGKILL)
    _ = await server.status()
    try await ask(web, "/api/v1/alerts") { json in
      (json["data"]?["alerts"]?.array ?? []).contains { alert in
        alert["labels"]?["alertname"]?.string == "BatonRelayDown" && alert["labels"]?["network"]?.string == "nostr"
          && alert["state"]?.string == "firing"
      }
    }
    // Without the daemon there are no figures, which is an alert of its own.
    daemon.signal(SIGTERM)
    _ = await daemon.status()
    #expect(try await console.at(UInt16(port)).ask("GET", "/metrics").status == 503)
    try await ask(web, "/api/v1/query?query=up") { value($0) == "0" }
    for program in [console.program, prometheus] { program.signal(SIGTERM) }
    for program in [console.program, prometheus] { _ = await program.status() }
  }
}
