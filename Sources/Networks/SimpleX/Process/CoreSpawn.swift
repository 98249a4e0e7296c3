internal import CSpawn
internal import Foundation
internal import Glibc

/// Starts a program as a child of the calling thread.
enum CoreSpawn {
  struct Failure: Error, Hashable {
    let reason: String

    init(_ error: CInt) { reason = String(cString: strerror(error)) }
  }

  /// Starts a program with these words: its input is empty, its output goes to `output`, and it has its own process group. It inherits
  /// nothing else from this process: no other descriptor, no blocked or ignored signal, and only those environment variables that programs
  /// generally need. When the calling thread ends, the program is told to end (PR_SET_PDEATHSIG), so the thread must live as long.
  /// - Parameters:
  ///   - words: the program's path, or its name to be looked for in `PATH`, and its arguments.
  ///   - output: an open descriptor for standard output and standard error.
  /// - Throws: `Failure`.
  static func start(_ words: [String], output: CInt) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    guard posix_spawn_file_actions_init(&actions) == 0 else { throw Failure(ENOMEM) }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { throw Failure(ENOMEM) }
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    // The child does this, so it also covers descriptors that another thread opens before the child exists.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A daemon ignores the signals that it waits for in other ways. Its children would inherit that and not end.
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return try spawn(tied(words), &actions, &attributes)
  }

  private static func spawn(
    _ words: [String], _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
  ) throws(Failure) -> pid_t {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = self.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var pid: pid_t = 0
    let error = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &environment)
    guard error == 0 else { throw Failure(error) }
    return pid
  }

  private static let binder = "/usr/bin/setpriv"

  /// The words that make the program end with its parent, if the machine has the tool for that. Otherwise the service manager ends it.
  private static func tied(_ words: [String]) throws(Failure) -> [String] {
    // This is checked here, because the tool could report it only as text.
    if words[0].contains("/"), access(words[0], X_OK) != 0 { throw Failure(errno) }
    return access(binder, X_OK) == 0 ? [binder, "--pdeathsig", "TERM", "--"] + words : words
  }

  /// The environment without the variables that the service manager sets for the daemon alone.
  private static var environment: [String] {
    let known: Set<String> = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR"]
    let own = ProcessInfo.processInfo.environment.filter { known.contains($0.key) || $0.key.hasPrefix("XDG_") }
    // Without a UTF-8 locale a core fails at the first name that is not ASCII.
    return own.map { "\($0.key)=\($0.value)" } + ["LC_ALL=C.UTF-8"]
  }
}
