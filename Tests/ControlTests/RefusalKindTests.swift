import ControlAPI
import Testing
import Varlink

/// Kinds of refusals that clients tell apart, whichever interface sends them.
struct RefusalKindTests {
  @Test func everyKindIsDeclared() {
    let declared = Interfaces.all.flatMap { interface in interface.errors.map { VarlinkError("\(interface.name).\($0.name)") } }
    #expect(Set(declared.compactMap(\.kind)) == Set(RefusalKind.allCases))
    #expect(declared.filter { $0.name.contains(".NoSuch") }.allSatisfy { $0.kind == .noSuchObject })
    #expect(declared.filter { $0.name.hasSuffix(".Busy") }.allSatisfy { $0.kind == .busy })
  }

  @Test func errorsOfOthersHaveNoKind() {
    for name in ["org.example.Busy", "Busy", "org.batond.Busy", "org.batond.Channels.NotBusy", "org.batond.ChannelsX.Busy"] {
      #expect(VarlinkError(name).kind == nil, "\(name)")
    }
    #expect(VarlinkError.permissionDenied.kind == nil)
  }
}
