import Testing
import Varlink

struct IDLTests {
  @Test(arguments: [
    "type T ()", "type T (a: [string]())", "type T (a: [][]int)", "type T (a: any)", "type t (a: int)",
    "method m() -> ()", "type T (a: int # after\n)", "type T (a__b: int)", "error E", "type T (a: int) type T (b: int)",
    "type T (a: ??int)", "type T (a: int,)", "nonsense T ()",
  ])
  func whatSomeToolsCannotReadIsRefused(_ member: String) {
    #expect(throws: IDL.ParseError.self) { try IDL.parse("interface org.example.x\n\(member)\n") }
  }

  @Test func portableDefinitionsAreRead() throws {
    let interface = try IDL.parse(
      """
      # About.
      interface org.example.x
      type E (one, two_three)
      # A type.
      type T (
      	# A field.
      	a: ?[]E,
      	b: [string](x: int)
      )
      # [Supports 'more' flag]
      method M(t: T) -> (o: object, f: ?float, e: (up, down))
      error Bad (why: string)

      """)
    #expect(interface.members.count == 4)
    let method = try #require(interface.methods.first)
    #expect(method.supportsMore && !method.requiresMore && method.output.count == 3)
    #expect(interface.errors.map(\.name) == ["Bad"])
  }

  @Test func fullGrammarTakesWhatOnlySomeToolsRead() throws {
    let interface = try IDL.parse(
      "interface org.example.x\ntype T (a: [string](), b: ?[]?[string](x, y), c: [][]int # after\n)\ntype U ()\n",
      grammar: .full)
    guard case .structure(let structure)? = interface.members.first else { throw CancellationError() }
    #expect(
      structure.fields.map(\.type) == [
        .map(.structure([])), .optional(.array(.optional(.map(.enumeration(["x", "y"]))))), .array(.array(.int)),
      ])
    for nonsense in ["type T (a: any)", "type t (a: int)", "type T (a: ??int)", "type T (a__b: int)", "error E"] {
      #expect(throws: IDL.ParseError.self) { try IDL.parse("interface org.example.x\n\(nonsense)\n", grammar: .full) }
    }
  }
}
