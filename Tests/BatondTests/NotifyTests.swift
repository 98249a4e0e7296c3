import Glibc
import Storage
import Store
import TestTools
import Testing

@testable import DaemonProgram
@testable import Systemd
@testable import Varlink

/// What the daemon tells the service manager: notifications, and the status with which it ends.
struct NotifyTests {
  @Test func lineBreaksInAStatusCannotAddMessages() {
    #expect(Systemd.message(["READY=1", "STATUS=it works"]) == "READY=1\nSTATUS=it works")
    for end in ["\n", "\r\n", "\r", "\u{2028}", "\u{85}"] {
      #expect(Systemd.message(["STATUS=a\(end)STOPPING=1"]) == "STATUS=a STOPPING=1")
    }
  }

  /// systemd starts the daemon again after 74 and 75, and does not after 77.
  @Test func exitStatusSaysWhetherAnotherStartCanHelp() throws {
    for number in [ENOSPC, EROFS, EIO, EMFILE] {
      #expect(ExitStatus.of(StoreError("cannot write x", errno: number)) == 74)
      #expect(ExitStatus.of(ListenError(description: "cannot listen at x", number: number)) == 74)
    }
    #expect(ExitStatus.of(StoreError("cannot write x", errno: EACCES)) == 77)
    #expect(status(ofListeningAt: String(repeating: "x", count: 200)) == 77)
    let folder = try TemporaryFolder()
    #expect(status(ofListeningAt: folder.path) == 77)
    #expect(status(ofListeningAt: folder.path + "/none/socket") == 77)
    let listener = try UnixListener.listen(path: folder.path + "/socket", mode: 0o600)
    defer { close(listener) }
    #expect(status(ofListeningAt: folder.path + "/socket") == 75)
  }

  private func status(ofListeningAt path: String) -> Int32? {
    do {
      close(try UnixListener.listen(path: path, mode: 0o600))
      return nil
    } catch { return ExitStatus.of(error) }
  }
}
