internal import Glibc
internal import Synchronization

/// Sees to it that nothing is left of a test run that is cut off, by whatever: a shell beside it knows all process groups that run, and ends
/// them when the last one who could tell it more is gone. (Linux could end children with their parent too, PR_SET_PDEATHSIG, but means the
/// parent's thread by that, and threads of the pools come and go; and it does not reach the children of children.)
public final class Leftovers: Sendable {
  /// The instance of this run.
  static let shared = try? Leftovers()

  private static let script = """
    trap '' HUP INT QUIT TERM
    groups=' '
    set --
    while read -r sign group; do
      case $sign in
      +) groups="$groups$group " ;;
      /) set -- "$@" "$group" ;;
      *) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
      esac
    done
    # A database that is only killed leaves shared memory behind.
    for group in $groups; do kill -s QUIT -- "-$group"; done
    tries=0
    while [ $tries -lt 40 ]; do
      alive=
      for group in $groups; do kill -s 0 -- "-$group" && alive=yes; done
      [ -n "$alive" ] || break
      sleep 0.05
      tries=$((tries + 1))
    done
    for group in $groups; do kill -s KILL -- "-$group"; done
    # What has just been ended may still write for a moment.
    for folder; do
      # It may have a file system of its own.
      umount -l "$folder"
      tries=0
      while ! rm -rf -- "$folder" && [ $tries -lt 100 ]; do tries=$((tries + 1)); done
    done
    """

  private let pid: pid_t
  private let writing: Mutex<CInt?>

  public init() throws {
    // Its reading end stays open here too: whatever becomes of the shell, to tell it something ends no one.
    let pipe = try Spawn.pipe()
    writing = Mutex(pipe.writing)
    pid = try Spawn.start("/bin/sh", ["-c", Self.script], input: pipe.reading)
  }

  /// Records a program that leads a process group.
  public func began(_ group: Int32) { tell("+ \(group)\n") }

  /// Records that nothing of the group is left.
  public func ended(_ group: Int32) { tell("- \(group)\n") }

  /// Records a folder that is removed when the run is over.
  func outlives(_ path: String) { tell("/ \(path)\n") }

  /// Does what is done when the run is over, and waits for it.
  public func close() {
    writing.withLock { descriptor in
      if let descriptor { Glibc.close(descriptor) }
      descriptor = nil
    }
    _ = Spawn.status(of: pid)
  }

  /// Writes a line in one piece.
  private func tell(_ line: String) {
    writing.withLock { descriptor in
      guard let descriptor else { return }
      let bytes = Array(line.utf8)
      _ = write(descriptor, bytes, bytes.count)
    }
  }
}
