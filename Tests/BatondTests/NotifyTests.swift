import Testing

@testable import Systemd

/// Notifications to the service manager.
struct NotifyTests {
  @Test func lineBreaksInAStatusCannotAddMessages() {
    #expect(Systemd.message(["READY=1", "STATUS=it works"]) == "READY=1\nSTATUS=it works")
    for end in ["\n", "\r\n", "\r", "\u{2028}", "\u{85}"] {
      #expect(Systemd.message(["STATUS=a\(end)STOPPING=1"]) == "STATUS=a STOPPING=1")
    }
  }
}
