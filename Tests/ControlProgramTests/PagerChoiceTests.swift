import Foundation
import TestTools
import Testing

@testable import ControlProgram

/// The pager that long output goes through.
struct PagerChoiceTests {
  @Test func pagerIsThePersonsOrLess() throws {
    let folder = try TemporaryFolder()
    #expect(
      FileManager.default.createFile(atPath: folder.path + "/less", contents: nil, attributes: [.posixPermissions: 0o755]))
    #expect(Pager(["PATH": "/nonexistent"]) == nil)
    #expect(Pager(["PATH": folder.path])?.command == "less")
    #expect(Pager(["PATH": folder.path])?.environment["LESS"] == "FRX")
    #expect(Pager(["PATH": folder.path, "LESS": "S"])?.environment["LESS"] == "S")
    #expect(Pager(["PAGER": "more -d"])?.command == "more -d")
    #expect(Pager(["PAGER": "more", "BATON_PAGER": "most"])?.command == "most")
    #expect(Pager(["PAGER": "more", "BATON_PAGER": " "]) == nil && Pager(["PAGER": "cat"]) == nil)
    // A user who may run only this as root gets no shell from it.
    let sudo = ["PATH": folder.path, "SUDO_UID": "1000", "PAGER": "more"]
    #expect(Pager(sudo)?.command == "less" && Pager(sudo)?.environment["LESSSECURE"] == "1")
    #expect(Pager(["PATH": "/nonexistent", "SUDO_UID": "1000", "PAGER": "more"]) == nil)
  }
}
