import Channels
import Foundation
import Glibc
import NIOPosix
import Nostr
import RelayNetwork
import SimpleX
import TestTools
import Testing

@testable import Provisioning

/// The files that declare operators: what is read, what is refused, and the place that is named.
struct DeclarationTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func reader() -> DeclarationReader {
    DeclarationReader(
      addressing: [NostrAddressing(), SimpleXAddressing()],
      servers: SimpleXServers(group: MultiThreadedEventLoopGroup.singleton, now: { 0 }),
      time: { $0 == "2026-01-31T12:00:00Z" ? Timestamp(milliseconds: 1) : nil })
  }

  private func read(_ texts: String...) throws -> Declarations {
    var reader = reader()
    for (index, text) in texts.enumerated() { reader.read(text, name: "\(index + 1).yaml") }
    return try reader.result()
  }

  private func flaws(_ texts: String...) -> [String] {
    var reader = reader()
    for (index, text) in texts.enumerated() { reader.read(text, name: "\(index + 1).yaml") }
    do {
      _ = try reader.result()
      return []
    } catch {
      return error.flaws.map(\.description)
    }
  }

  private static let example = """
    operators:
      - name: Example
        legalName: Example Ltd.
        domains: [Example.org, example.net]
        enabled: false
        smpRoles: {storage: true, proxy: false, names: false}
        xftpRoles: {proxy: false}
        conditionsAcceptedAt: 2026-01-31T12:00:00Z
        servers:
          - address: smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:secret@smp.example.org
            enabled: false
            roles: {names: true}
        relays:
          - address: WSS://Relay.Example.org/
            name: Example relay
            domains: [relays.example.org]
          - address: https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M
    servers:
      - address: xftp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@files.example:4443
    relays:
      - {address: "ws://127.0.0.1:7001", network: nostr, enabled: false}
    """

  @Test func everyMemberIsRead() throws {
    let read = try read(Self.example)
    let one = try #require(read.operators.first)
    #expect(one.name == "Example" && one.legalName == "Example Ltd." && one.domains == ["example.org", "example.net"])
    #expect(!one.isEnabled && one.conditionsAcceptedAt == Timestamp(milliseconds: 1) && one.file == "1.yaml")
    #expect(one.smpRoles == ServerRoles(storage: true, proxy: false, names: false))
    #expect(one.xftpRoles == ServerRoles(storage: true, proxy: false, names: false))
    #expect(one.servers.map(\.address.password) == ["secret"] && !one.servers[0].isEnabled)
    #expect(one.servers[0].roles == ServerRoles.Override(names: true))
    #expect(one.relays.map(\.address.text) == ["wss://relay.example.org", one.relays[1].address.text])
    #expect(one.relays.map(\.network) == [.nostr, .simplex] && one.relays[0].domains == ["relays.example.org"])
    #expect(read.servers.map(\.address.port) == [4443] && read.relays.map(\.isEnabled) == [false])
    #expect(read.counts == (1, 2, 3))
  }

  @Test func filesOfOtherSystemsAreRead() throws {
    let text = "\u{FEFF}" + Self.example.replacing("\n", with: "\r\n")
    #expect(try read(text) == read(Self.example))
    let flaw = "1.yaml:2:1: the file has no member 'nothing': it may have operators, servers, relays"
    #expect(flaws("\u{FEFF}relays: []\r\nnothing: 1\r\n") == [flaw])
  }

  @Test func whatIsWrittenIsReadBackWithoutPasswords() throws {
    var expected = try read(Self.example)
    let text = DeclarationWriter.text(expected) { _ in "2026-01-31T12:00:00Z" }
    #expect(!text.contains("secret"))
    let again = try read(text)
    let server = expected.operators[0].servers[0].address
    expected.operators[0].servers[0].address = ServerAddress(
      transport: server.transport, fingerprint: server.fingerprint, hosts: server.hosts, port: server.port, password: nil,
      text: server.text)
    func withoutLines(_ declarations: Declarations) -> Declarations {
      var plain = declarations
      for index in plain.relays.indices { plain.relays[index].line = nil }
      for index in plain.operators.indices {
        for relay in plain.operators[index].relays.indices { plain.operators[index].relays[relay].line = nil }
      }
      return plain
    }
    #expect(withoutLines(again) == withoutLines(expected))
    #expect(DeclarationWriter.text(again) { _ in "2026-01-31T12:00:00Z" } == text)
  }

  @Test(arguments: [
    "a: b", "yes", "null", "- x", "#no", "\"quoted\" \\ back", "tab\\t", "ünïcode 中 👩‍👩‍👧", "'single'", "{a}", "1e3",
  ])
  func anyNameIsReadBackAsItWasWritten(_ name: String) throws {
    let declarations = Declarations(operators: [.init(file: "1.yaml", name: name)])
    #expect(try read(DeclarationWriter.text(declarations) { _ in "" }) == declarations)
  }

  @Test func emptyFilesDeclareNothing() throws {
    #expect(try read("", "# nothing\n", "operators: []\n", "operators:\n") == Declarations())
  }

  @Test func everyFlawIsReportedWithFileLineAndColumn() {
    let found = flaws(
      """
      operators:
        - name: One
          domain: [a.example]
          enabled: maybe
          relays:
            - address: http://relay.example
            - name: no address
        - legalName: nameless
      """,
      """
      relays:
        - address: ws://a.example
          network: irc
      servers:
        - address: smp://short@host
      """)
    #expect(found.contains { $0.hasPrefix("1.yaml:3:5: an operator has no member 'domain'") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("1.yaml:4:14: enabled must be true or false") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("1.yaml:6:18: 'http://relay.example' is not a relay address") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("1.yaml:7:9: the relay has no address") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("1.yaml:8:5: the operator has no name") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("2.yaml:3:14: unknown network 'irc'") }, "\(found)")
    #expect(found.contains { $0.hasPrefix("2.yaml:5:") && $0.contains("is not a server address") }, "\(found)")
    #expect(found.count == 7, "\(found)")
  }

  @Test func passwordIsNotInMessages() {
    let found = flaws("servers:\n  - address: smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=:hunter2@ho st\n")
    #expect(found.count == 1 && !found[0].contains("hunter2"), "\(found)")
  }

  @Test func secondDeclarationOfAnAddressOrNameNamesTheFirst() {
    let one = "relays:\n  - address: ws://a.example\n    name: a\n"
    #expect(
      flaws(one, "relays:\n  - address: WS://A.example:80/\n").first?.contains("declared twice, first at 1.yaml:2") == true)
    #expect(
      flaws(one, "relays:\n  - {address: 'ws://b.example', name: a}\n").first?.contains("a relay named 'a' is declared twice")
        == true)
    let provider = "operators:\n  - name: One\n"
    #expect(flaws(provider, provider) == ["2.yaml:2:5: the operator 'One' is declared twice, first at 1.yaml:2"])
    let server = "servers:\n  - address: smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@h.example\n"
    #expect(flaws(server, server).count == 1)
  }

  @Test(arguments: [true, false]) func fileServersHaveNoRoleForNames(_ isEnabled: Bool) {
    let address = "xftp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@h.example"
    let found = flaws("servers:\n  - {address: '\(address)', enabled: \(isEnabled), roles: {names: true}}\n")
    #expect(found.count == 1 && found[0].hasSuffix("file servers have no role 'names'"), "\(found)")
  }

  @Test(arguments: [
    "operators: [", "a: b: c", "\t- x", "operators: {name: x}", "[1, 2]", "operators:\n- 5\n", "&a [*a]", "name: !!binary x",
  ])
  func rubbishIsRefusedWithAPlace(_ text: String) {
    let found = flaws(text)
    #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("1.yaml:") }, "\(found)")
  }

  @Test func aliasesCannotMultiplyWithoutBound() {
    var text = "x: &a0 [" + (0..<100).map { "{address: 'ws://h\($0).example'}" }.joined(separator: ", ") + "]\n"
    text =
      "operators:\n  - name: o\n    relays: &r\n" + (0..<2_000).map { "      - {address: 'ws://h\($0).example'}\n" }.joined()
    text += (0..<500).map { "  - {name: o\($0), relays: *r}\n" }.joined()
    let found = flaws(text)
    #expect(found.count == 1 && found[0].contains("anchors and aliases are not allowed"), "\(found.prefix(3))")
    #expect(flaws("a: &a [1]\nb: {? *a : 1}\n").first?.hasPrefix("1.yaml:2:7: anchors") == true)
    #expect(flaws("# x\r a: &a [1]\n{\"b\":*a}\n").first?.contains("anchors and aliases") == true)
    // They are allowed where they mean nothing.
    #expect(
      flaws(
        "relays: # & *x\n  - {address: 'ws://a.example', name: 'a & *b'}\n  - {address: ws://b.example/*, name: \"&\\\"*\"}\n"
      ).isEmpty)
  }

  @Test func flawsAreBoundedHoweverManyThereAre() {
    let found = flaws("relays:\n" + String(repeating: "  - {address: x}\n", count: 5_000))
    #expect(found.count == DeclarationReader.flawsMax + 1 && found.last?.hasSuffix("and more that is not listed") == true)
  }

  @Test func deepNestingIsRefused() {
    #expect(flaws(String(repeating: "[", count: 200_000)).count == 1)
    #expect(flaws(String(repeating: "{a: ", count: 100_000)).count == 1)
  }

  @Test func emptyValuesAreNeitherNamesNorAddresses() {
    #expect(flaws("operators:\n  - name:\n    domains: [a.example]\n").first?.contains("the operator has no name") == true)
    #expect(flaws("relays:\n  - address: ~\n").first?.contains("the relay has no address") == true)
    #expect(flaws("servers:\n  - address: null\n").first?.contains("the server has no address") == true)
  }

  @Test func anyTextIsReadOrRefusedWithoutACrash() async {
    var random = SplitMix64(seed: 4)
    let base = Array(Self.example.utf8)
    for number in 0..<3_000 {
      if number % 32 == 0 { await Task.yield() }
      var bytes = base
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 9...126, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: Array(" :-{}[]&*!|>'\"#\n".utf8).shuffled(using: &random).prefix(2), at: index)
        }
      }
      var reader = reader()
      reader.read(String(decoding: bytes, as: UTF8.self), name: "f.yaml")
      do {
        // An accepted text can be written and read again.
        let read = try reader.result()
        _ = try self.read(DeclarationWriter.text(read) { _ in "2026-01-31T12:00:00Z" })
      } catch {
        #expect(error is FileFlaws)
      }
    }
  }

  @Test func folderIsReadInTheOrderOfNamesAndOtherFilesAreLeftAlone() throws {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }
    try write("20-b.yaml", "operators:\n  - name: B\n")
    try write("10-a.yaml", "operators:\n  - name: A\n")
    try write("30-c.yaml.example", "rubbish: [")
    try write(".hidden.yaml", "rubbish: [")
    let place = DeclarationFolder(path: folder.path)
    let (files, declarations, _) = try place.load(reader())
    #expect(files == 2 && declarations.operators.map(\.name) == ["A", "B"])
    #expect(declarations.operators[0].file == folder.path + "/10-a.yaml")
    #expect(try DeclarationFolder(path: folder.path + "/none").load(reader()).files == 0)
    try Data([0x6F, 0xFF, 0xFE]).write(to: URL(filePath: folder.path + "/40-d.yaml"))
    #expect { try place.load(reader()) } throws: { ($0 as? FileFlaws)?.flaws.first?.text == "the file is not UTF-8" }
  }

  /// A pipe without a writer would delay the start of the daemon.
  @Test(.timeLimit(.minutes(10))) func onlyRegularFilesAreRead() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path + "/10-pipe.yaml", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/20-device.yaml", withDestinationPath: "/dev/zero")
    #expect { try DeclarationFolder(path: folder.path).load(reader()) } throws: {
      ($0 as? FileFlaws)?.flaws.map(\.text) == ["it is not a regular file", "it is not a regular file"]
    }
  }

  /// The examples that the project ships can be used unchanged.
  @Test func shippedExamplesAreGoodAndNoneIsActive() throws {
    let folder = Self.repository.appending(path: "etc/operators.d").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(!names.isEmpty && names.allSatisfy { $0.hasSuffix(".yaml.example") })
    var reader = reader()
    for name in names.sorted() {
      reader.read(try String(contentsOfFile: folder + "/" + name, encoding: .utf8), name: name)
    }
    let all = try reader.result()
    #expect(all.operators.map(\.name).sorted() == ["Example", "Flux", "SimpleX Chat"])
  }
}
