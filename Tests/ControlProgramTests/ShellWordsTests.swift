import ArgumentParser
import Testing

@testable import ControlProgram

/// Names as shells get them when they complete a command line.
struct ShellWordsTests {
  private func names(_ names: [String], typed: String = "", in shell: CompletionShell?) -> [String] {
    let objects = names.enumerated().map { Completion.Object(id: Int64($0.offset + 1), name: $0.element) }
    return Completion(words: ["batonctl", typed], index: 1, typed: typed, shell: shell).names(objects)
  }

  @Test func idsReplaceNamesThatCannotBeTypedOrToldApart() {
    #expect(
      names(["City News", "9", "9", "2", "-x", "id:7", "\u{202E}x"], in: nil) == [
        "City News", "id:2", "id:3", "name:2", "name:-x", "name:id:7", "id:7",
      ])
    #expect(names(["City News"], typed: "name:Ci", in: nil) == ["name:City News"])
    #expect(names(["City News"], typed: "id:", in: nil) == ["id:1"])
  }

  @Test func everyShellGetsWordsInItsOwnQuoting() {
    let nasty = [#"it's "so""#, "$(id)", "`id`", "~root", "a:b", #"a\b"#, "x\u{1B}y"]
    #expect(
      names(nasty, in: .bash) == [
        #"'it'\''s "so"'"#, "'id:2'", "'id:3'", "'id:4'", "'a:b'", #"'a\b'"#, "'id:7'",
      ])
    #expect(
      names(nasty, in: .zsh) == [
        #"it's "so""#, "$(id)", "`id`", "~root", #"a\:b"#, #"a\\b"#, #"id\:7:x\u{1B}y"#,
      ])
    #expect(
      names(nasty, in: .fish) == [
        #"it's "so""#, "$(id)", "`id`", "~root", "a:b", #"a\b"#, "id:7\tx\\u{1B}y",
      ])
  }

  @Test(arguments: [
    (#"City\ News"#, "City News"), (#""City N"#, "City N"), ("'it'", "it"), (#"it\'s"#, "it's"), (#""a\b\"c\$""#, #"a\b"c$"#),
    (#"'a\b'"#, #"a\b"#), ("''", ""), (#"end\"#, "end"),
  ])
  func wordsAreTakenAsTheCommandWouldGetThem(word: String, plain: String) {
    #expect(Completion.unquoted(word) == plain)
  }
}
