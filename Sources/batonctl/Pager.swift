internal import CSpawn
internal import Foundation
internal import Glibc

/// The program that shows output longer than the terminal page by page.
struct Pager: Hashable {
  let command: String
  private(set) var environment: [String: String]

  /// Finds the user's pager, or less.
  /// - Parameter environment: the environment of this process.
  /// - Returns: `nil` if no pager is wanted, or none is installed.
  init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    let wanted = environment["BATON_PAGER"] ?? environment["PAGER"]
    if let wanted, ["", "cat"].contains(wanted.trimmingCharacters(in: .whitespaces)) { return nil }
    // A user who may run only this command, with sudo, must not get a shell from it. Only less is known to prevent that.
    let isElevated =
      geteuid() != getuid() || ["SUDO_UID", "DOAS_USER", "PKEXEC_UID"].contains { environment[$0]?.isEmpty == false }
    self.environment = environment
    if let wanted, !isElevated {
      command = wanted
    } else {
      guard Self.hasLess(environment) else { return nil }
      command = "less"
    }
    if environment["LESS"] == nil { self.environment["LESS"] = "FRX" }
    // People's texts are UTF-8, whichever locale is set.
    if environment["LESSCHARSET"] == nil { self.environment["LESSCHARSET"] = "utf-8" }
    if isElevated { self.environment["LESSSECURE"] = "1" }
  }

  private static func hasLess(_ environment: [String: String]) -> Bool {
    (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains { access("\($0)/less", X_OK) == 0 }
  }

  /// Shows the text until the user leaves the pager, which handles Ctrl-C itself.
  /// - Returns: whether the text was shown. False if the program does not exist.
  func show(_ text: String) -> Bool {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { return false }
    let signals = [SIGINT, SIGQUIT, SIGPIPE]
    let handlers = signals.map { signal($0, SIG_IGN) }
    defer { for (number, handler) in zip(signals, handlers) { signal(number, handler) } }
    let child = start(input: ends[0])
    close(ends[0])
    // A pager may end before it has read everything.
    if child != nil { _ = Output.write(text, to: ends[1]) }
    close(ends[1])
    guard let child else { return false }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    // The shell's statuses for a command that does not exist or cannot be run.
    return status & 0x7F != 0 || ![126, 127].contains((status >> 8) & 0xFF)
  }

  /// Starts the pager in the process group of this program, so that it may use the terminal, and resets the signals that this program
  /// ignores.
  private func start(input: CInt) -> pid_t? {
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { return nil }
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    // NIO's sockets are among these: the connection to the daemon must end with this program.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let line: [String] = ["sh", "-c", command]
    var words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var child: pid_t = 0
    return posix_spawn(&child, "/bin/sh", &actions, &attributes, &words, &settings) == 0 ? child : nil
  }
}
