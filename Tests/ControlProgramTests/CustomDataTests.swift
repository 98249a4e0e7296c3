import Testing

@testable import ControlProgram

/// The arguments of `--custom`.
struct CustomDataTests {
  @Test func keysEndAtTheFirstEqualsSign() throws {
    let members = try CustomData(["team=desk", "sum=1+1=2", "gone="]).members
    #expect(members.map(\.key) == ["team", "sum", "gone"] && members.map(\.value) == ["desk", "1+1=2", ""])
  }

  @Test(arguments: ["team", "=desk", "", "="])
  func otherFormsAreRefused(_ argument: String) { #expect(throws: (any Error).self) { try CustomData([argument]) } }
}
