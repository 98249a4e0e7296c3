internal import ConsoleProgram
internal import ControlProgram
internal import DaemonProgram
internal import Foundation
internal import ProgramEnd
internal import SandboxProgram

/// All programs in one, as it is installed. The name under which it was started selects the program. Under any other name, the first
/// argument selects it.
@main
enum BatonMain {
  static func main() async {
    let line = CommandLine.arguments
    if let run = program(line.first.map(lastComponent) ?? "") {
      await run(Array(line.dropFirst()))
    } else if let run = program(line.dropFirst().first ?? "") {
      await run(Array(line.dropFirst(2)))
    } else {
      let sentence = """
        baton: this program is batond, batonctl, baton-console and baton-sandbox: start it under one of these names, or say the \
        name first, as in 'baton batonctl status'
        """
      FileHandle.standardError.write(Data((sentence + "\n").utf8))
      endProgram(64)
    }
  }

  /// - Returns: a function that runs the program with that name, given the arguments behind the name, or nil where there is no such
  ///   program.
  private static func program(_ name: String) -> (([String]) async -> Never)? {
    switch name {
    case "batond": runBatond
    case "batonctl": runBatonctl
    case "baton-console": runBatonConsole
    case "baton-sandbox": runBatonSandbox
    default: nil
    }
  }

  /// The name of a program that was started by its path.
  private static func lastComponent(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
}
