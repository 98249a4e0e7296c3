import Foundation
import Nostr
import RelayNetwork
import TestSupport
import Testing

@testable import DaemonProgram

/// The option `nostr.blossom`.
struct FileServerOptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(_ value: String?, environment: [String: String] = [:]) async throws -> Settings {
    let path = folder.path + "/batond.yaml"
    try (value.map { "nostr:\n  blossom: \($0)\n" } ?? "").write(toFile: path, atomically: true, encoding: .utf8)
    return try await Settings(
      arguments: [:], environment: environment, files: ConfigurationFiles(path, vendorFile: folder.path + "/vendor.yaml"))
  }

  @Test func serversAreAListInNormalForm() async throws {
    for none in [nil, "", "[]"] { #expect(try await settings(none).fileServers.isEmpty) }
    let two = [
      FileServer(address: "https://files.example", host: "files.example"),
      FileServer(address: "http://127.0.0.1:3000", host: "127.0.0.1"),
    ]
    #expect(try await settings("[https://Files.Example/, http://127.0.0.1:3000]").fileServers == two)
    #expect(try await settings("https://files.example, http://127.0.0.1:3000").fileServers == two)
    let own = try await settings(
      "[https://a.example]", environment: ["BATON_NOSTR_BLOSSOM": "https://files.example,http://127.0.0.1:3000"])
    #expect(own.fileServers == two)
    // They are read at the start.
    let changed = own.differences(to: try await settings(nil))
    #expect(changed.map(\.key) == ["nostr.blossom"] && changed.allSatisfy { !$0.appliesOnReload })
  }

  @Test func whatIsNoServerIsRefusedWithoutItsPassword() async throws {
    let six = (1...6).map { "https://s\($0).example" }.joined(separator: ", ")
    for (value, words) in [
      ("[files.example]", "address 1 must be an address that begins with https://"),
      ("[https://a.example, http://files.example]", "address 2 must begin with https:// (http:// is for"),
      ("[https://a.example, 'https://A.example:443/']", "must not have the same server twice"),
      ("[https://a.example/upload]", "without a path"), ("['https://a.example?x']", "without a path"),
      ("['https://user:secret@a.example']", "no user name"), ("'https://:secret@a.example'", "no user name"),
      ("['']", "must have no empty addresses"), ("[\(six)]", "at most 5 addresses"), ("[[a]]", "must be a list of texts"),
      ("{a: b}", "must be one value"), ("['https://a.example,https://b.example']", "must have addresses without commas"),
    ] {
      let error = await #expect(throws: ConfigurationError.self) { try await settings(value) }
      let problems = try #require(error?.problems.map(\.description))
      #expect(problems.count == 1 && problems[0].contains("batond.yaml:2:") && problems[0].contains(words), "\(problems)")
      #expect(problems[0].contains("nostr.blossom") && !problems[0].contains("secret"))
    }
    let error = await #expect(throws: ConfigurationError.self) {
      try await settings(nil, environment: ["BATON_NOSTR_BLOSSOM": "https://user:secret@a.example"])
    }
    #expect(error?.description.contains("environment") == true && error?.description.contains("secret") == false)
  }
}
