internal import CSpawn
internal import Foundation
internal import Glibc

/// Starts programs. Foundation's `Process` does that by a run loop that all of them share, and reads the environment each time; under hundreds
/// of tests at once it has crashed.
enum Spawn {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ what: String, _ error: CInt) { description = "\(what): \(String(cString: strerror(error)))" }
  }

  /// The environment that this process was started with, without what is meant for the tests themselves. No test changes its own.
  static let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BATON_") }

  /// Starts a program in a process group of its own, with no descriptor but these and no signal blocked or ignored.
  /// - Parameters:
  ///   - path: absolute.
  ///   - directory: its working directory; nil for this process's own.
  ///   - input: an open descriptor; nil for none.
  ///   - output, errors: open descriptors; nil to discard what is written.
  static func start(
    _ path: String, _ arguments: [String], environment: [String: String] = Self.environment, directory: String? = nil,
    input: CInt? = nil, output: CInt? = nil, errors: CInt? = nil
  ) throws -> pid_t {
    // Checked here, because `env` would only print a message.
    if access(path, X_OK) != 0 { throw Failure(path, errno) }
    var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
    guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else {
      throw Failure(path, ENOMEM)
    }
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let streams: [(CInt, CInt?, CInt)] = [(0, input, O_RDONLY), (1, output, O_WRONLY), (2, errors, O_WRONLY)]
    for (target, descriptor, mode) in streams {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, target)
      } else {
        posix_spawn_file_actions_addopen(&actions, target, "/dev/null", mode, 0)
      }
    }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // `env` becomes the program, with the same number.
    let mover = directory.map { ["/usr/bin/env", "-C", $0] } ?? []
    var words: [UnsafeMutablePointer<CChar>?] = (mover + [path] + arguments).map { strdup($0) } + [nil]
    var settings: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + settings { free(text) } }
    // The child closes them, because other threads open descriptors up to the moment of its birth: a socket that it kept would stay open
    // for as long as it lives.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var pid: pid_t = 0
    let error = posix_spawn(&pid, mover.first ?? path, &actions, &attributes, &words, &settings)
    guard error == 0 else { throw Failure(path, error) }
    return pid
  }

  /// A pipe that no program inherits by accident.
  static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure("no pipe", errno) }
    return (ends[0], ends[1])
  }

  /// Waits for the end of a child and leaves it as it is: its number stays its own until `status` is asked for.
  /// - Returns: the status, negative for a signal.
  static func end(of pid: pid_t) -> Int32 {
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let status = info._sifields._sigchld.si_status
    return info.si_code == CInt(CLD_EXITED) ? status : -status
  }

  /// The status of a child, negative for a signal. Waits for its end; its number is free then.
  static func status(of pid: pid_t) -> Int32 {
    var status: CInt = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }
}
