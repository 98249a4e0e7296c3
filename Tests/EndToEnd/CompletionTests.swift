import ArgumentParser
import Foundation
import Glibc
import TestTools
import Testing

/// The words that shells get when they complete a command line.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CompletionTests {
  /// Asks as the script of a shell does.
  /// - Parameter isOffered: whether there is something to offer. A shell is not kept waiting, so on a busy machine it takes
  ///   more presses of the key.
  private func complete(
    _ command: String, _ argument: String, _ words: [String], at index: Int? = nil, _ environment: [String: String] = [:],
    isOffered: Bool = true
  ) async throws -> [String] {
    let index = index ?? words.count - 1
    let arguments =
      ["---completion"] + command.split(separator: " ").map(String.init)
      + ["--", argument, "\(index)", "\(words[index].count)"] + words
    var lines: [String] = []
    for _ in 0..<(isOffered ? Self.pressesMax : 1) where lines.isEmpty {
      let result = try await Program.run("batonctl", arguments, environment: environment)
      #expect(result.status == 0, "\(arguments): \(result.lines)")
      lines = result.lines
    }
    return lines
  }

  private static let pressesMax = 100

  @Test func namesComeFromTheDaemon() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    for name in ["City One", "City Two", "Country", "$(touch pwned)"] {
      let address = "ws://127.0.0.1:\(Program.freePort())"
      #expect(try await baton.control("relay", "add", address, "--name", name).status == 0)
    }
    for name in ["City News", "Sports"] {
      #expect(try await baton.control("channel", "create", name, "--relay", "Country", "--wait", "none").status == 0)
    }
    #expect(try await baton.control("operator", "add", "Org").status == 0)
    let key = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    #expect(try await baton.control("server", "add", "smp://\(key)@h.example", "--force").status == 0)

    let here = ["BATON_SOCKET": baton.socket]
    func show(_ kind: String, _ word: String, isOffered: Bool = true) async throws -> [String] {
      try await complete("\(kind) show", "positional@0", ["batonctl", kind, "show", word], here, isOffered: isOffered)
    }
    #expect(try await show("relay", "Ci") == ["City One", "City Two"])
    #expect(try await show("relay", #"City\ T"#) == ["City Two"])
    #expect(try await show("relay", "") == ["$(touch pwned)", "City One", "City Two", "Country"])
    #expect(try await show("relay", "try") == ["Country"], "shells may look for what is within names")
    #expect(try await show("relay", "nothing", isOffered: false) == [])
    #expect(try await show("channel", "Ci") == ["City News"])
    #expect(try await show("channel", "id:").sorted() == ["id:1", "id:2"])
    #expect(try await show("server", "h") == ["h.example"])
    #expect(try await show("operator", "O") == ["Org"])
    #expect(try await show("identity", "m") == ["main"])
    let relays = try await complete(
      "channel create", "--relay", ["batonctl", "channel", "create", "x", "--relay", "Cou"], here)
    #expect(relays == ["Country"])
    let owners = try await complete("relay edit", "--operator", ["batonctl", "relay", "edit", "x", "--operator", ""], here)
    #expect(owners == ["auto", "Org"])
    // The socket is the one that the command line names, also in the pieces that bash makes of it.
    for socket in [["--socket", baton.socket], ["--socket=\(baton.socket)"], ["--socket", "=", "unix", ":", baton.socket]] {
      let words = ["batonctl", "relay", "show", "Cou"] + socket
      #expect(try await complete("relay show", "positional@0", words, at: 3) == ["Country"])
    }
    try await completeInBash(baton)

    // The socket exists but no one answers: the shell still gets its prompt back.
    daemon.signal(SIGSTOP)
    #expect(try await show("relay", "Ci", isOffered: false) == [])
    daemon.signal(SIGCONT)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    #expect(try await show("relay", "Ci", isOffered: false) == [])
    let gone = try await complete("channel gone", "positional@7", ["batonctl", "channel", "gone", ""], here, isOffered: false)
    #expect(gone == [])
  }

  /// The script itself is run. A name is never a command, whatever it looks like.
  private func completeInBash(_ baton: Installation) async throws {
    let script = """
      cd "$1" && eval "$("$0" --generate-completion-script bash)"
      for command in show get; do
        for word in 'City\\ T' ''; do
          COMP_WORDS=("$0" relay "$command" "$word") COMP_CWORD=3 COMP_LINE="$0 relay $command $word" COMPREPLY=()
          COMP_POINT=${#COMP_LINE}
          _batonctl "$0" "$word" "$command"
          printf '<%s>\\n' "${COMPREPLY[@]}"
        done
      done
      """
    var lines: [String] = []
    for _ in 0..<Self.pressesMax where lines.count < 10 || lines.contains("<>") {
      lines = try await Program.run(
        "/bin/bash", ["-c", script, Program.products + "/batonctl", baton.folder.path],
        environment: ["BATON_SOCKET": baton.socket]
      ).lines
    }
    let names = ["<City Two>", "<id:4>", "<City One>", "<City Two>", "<Country>"]
    #expect(lines == names + names, "\(lines)")
    #expect(!FileManager.default.fileExists(atPath: baton.folder.path + "/pwned"))
  }

  /// The other name of a command, with the first one.
  static let otherNames = ["operator", "server", "relay", "identity", "channel"].flatMap { kind in
    [("ls", "list"), ("get", "show"), ("rm", kind == "channel" ? "delete" : "remove")].map { (kind, $0.0, $0.1) }
  }

  @Test func otherNamesOfCommandsCompleteInBashLikeTheFirst() async throws {
    let script = """
      eval "$("$0" --generate-completion-script bash)"
      for words in "$@"; do
        COMP_WORDS=("$0" $words --) COMP_CWORD=3 COMP_LINE="$0 $words --" COMPREPLY=()
        COMP_POINT=${#COMP_LINE}
        _batonctl "$0" -- "${words#* }"
        echo "${COMPREPLY[*]}"
      done
      """
    let commands = Self.otherNames.flatMap { ["\($0.0) \($0.1)", "\($0.0) \($0.2)"] }
    let offered = try await Program.run("/bin/bash", ["-c", script, Program.products + "/batonctl"] + commands).lines
    try #require(offered.count == commands.count)
    for index in stride(from: 0, to: offered.count, by: 2) {
      let (other, first) = (offered[index], offered[index + 1])
      #expect(other == first && other.contains("--json"), "\(commands[index]): \(other)")
    }
  }

  @Test func otherNamesOfCommandsAreInTheScriptsOfZshAndFish() async throws {
    let zsh = try await Program.run("batonctl", ["--generate-completion-script", "zsh"]).lines
    let fish = try await Program.run("batonctl", ["--generate-completion-script", "fish"]).lines
    #expect(zsh.first == "#compdef batonctl")
    for (kind, other, first) in Self.otherNames {
      let function = zsh.firstIndex(of: "_batonctl_\(kind)_\(other)() {")
      #expect(function.map { zsh[$0 + 1] } == #"    _batonctl_\#(kind)_\#(first) "${@}""#)
      let choice = "\(first)|\(other)"
      #expect(zsh.contains { $0.hasSuffix("|\(choice))") || $0.contains("|\(choice)|") || $0.contains(" \(choice)|") })
      #expect(fish.contains { $0.hasSuffix("case '\(first)' '\(other)'; set unparsed_tokens[1] '\(first)'") })
    }
  }

  @Test func wordsOfEnumerationsAreInTheScripts() async throws {
    for (shell, words) in [
      ("bash", "'nostr'$'\\n''simplex'"), ("zsh", "'nostr' 'simplex'"), ("fish", "'nostr simplex'"),
    ] {
      let script = try await Program.run("batonctl", ["--generate-completion-script", shell])
      #expect(script.status == 0 && script.lines.contains { $0.contains(words) }, "\(shell)")
      #expect(script.lines.contains { $0.contains("---completion channel show -- positional@0") }, "\(shell)")
    }
  }
}
