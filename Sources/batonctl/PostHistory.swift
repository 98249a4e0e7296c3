internal import ArgumentParser
internal import BatonClient
internal import ControlAPI

struct PostHistory: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Print the transitions of a post, oldest first",
    discussion: """
      Example:
        batonctl post history 7
      """)
  @OptionGroup var table: TableOptions
  @Argument(help: "Post, by id.", completion: .names(of: .post)) var post: ObjectID
  @Option(help: "Maximum number of lines, the latest ones, 1 to 1000.") var limit: Int = 100
  @OptionGroup var global: GlobalOptions

  func validate() throws { _ = try table.chosen(of: HistoryRow.columns) }

  func run() async throws {
    try await global.connected(table.show) { session in
      let lines = try await session.client.posts.transitions(id: post.id, limit: limit)
      let columns = try table.chosen(of: HistoryRow.columns)
      try session.show(lines) { session.table(columns, lines.map { HistoryRow(line: $0, times: session.times) }) }
    }
  }
}
