internal import Configuration
internal import Provisioning
internal import Yams

/// A problem in a configuration file.
struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  let line: Int
  let column: Int
  let text: String
  var description: String { "\(line):\(column): \(text)" }
}

/// All problems of a file.
struct FileProblems: Error, Hashable, Sendable {
  let problems: [FileProblem]
}

/// A configuration file of which every key and value was checked. Errors name their place. The stock YAML snapshot ignores unknown keys,
/// but a misspelt option must be refused and not ignored.
struct CheckedYAML: FileConfigSnapshot {
  struct ParsingOptions: FileParsingOptions {
    static var `default`: Self { Self() }
  }
  let providerName: String
  private let values: [String: String]

  init(data: RawSpan, providerName: String, parsingOptions: ParsingOptions) throws {
    guard let text = data.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
      throw FileProblems(problems: [FileProblem(line: 1, column: 1, text: "the file is not UTF-8")])
    }
    try self.init(text: text, providerName: providerName)
  }

  init(text: String, providerName: String) throws(FileProblems) {
    var walk = Walk()
    do {
      if let root = try YAMLTrouble.compose(text) { walk.section(root, "") }
    } catch {
      throw FileProblems(problems: [FileProblem(line: error.line, column: error.column, text: error.text)])
    }
    guard walk.problems.isEmpty else { throw FileProblems(problems: walk.problems) }
    values = walk.values
    self.providerName = providerName
  }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    let name = key.components.joined(separator: ".")
    return LookupResult(encodedKey: name, value: values[name].map { ConfigValue(.string($0), isSecret: false) })
  }

  var description: String { "\(providerName)[\(values.count) values]" }
  var debugDescription: String { description }

  private struct Walk {
    var values: [String: String] = [:]
    var problems: [FileProblem] = []

    mutating func note(_ mark: Mark?, _ text: String) {
      problems.append(FileProblem(line: mark?.line ?? 1, column: mark?.column ?? 1, text: text))
    }

    mutating func section(_ node: Yams.Node, _ path: String) {
      if node.null != nil { return }
      guard case .mapping(let mapping) = node else {
        return note(node.mark, path.isEmpty ? "the file must consist of sections" : "\(path) must be a section")
      }
      for (key, value) in mapping {
        let name = (path.isEmpty ? "" : path + ".") + (key.string ?? "")
        if let setting = Setting.all.first(where: { $0.key == name }) {
          take(value, setting)
        } else if Setting.all.contains(where: { $0.key.hasPrefix(name + ".") }) {
          section(value, name)
        } else {
          note(key.mark, "unknown option '\(name)'")
        }
      }
    }

    private mutating func take(_ node: Yams.Node, _ setting: Setting) {
      if node.null != nil { return }
      if let members = setting.kind.members, case .sequence(let sequence) = node {
        return takeList(sequence, of: members, node.mark, setting)
      }
      guard case .scalar(let scalar) = node else { return note(node.mark, "\(setting.key) must be one value") }
      let isEmptied = scalar.string.isEmpty && setting.fallback.isEmpty
      if !isEmptied, let problem = setting.kind.problem(scalar.string) {
        note(node.mark, "\(setting.key) \(problem), it is '\(setting.kind.shown(scalar.string))'")
      } else {
        values[setting.key] = scalar.string
      }
    }

    private mutating func takeList(_ list: Yams.Node.Sequence, of members: String, _ mark: Mark?, _ setting: Setting) {
      var texts: [String] = []
      for node in list {
        guard case .scalar(let scalar) = node, node.null == nil else {
          return note(node.mark, "\(setting.key) must be a list of texts")
        }
        // The list is stored as one text with commas between its members.
        guard !scalar.string.contains(","), !scalar.string.hasPrefix(" "), !scalar.string.hasSuffix(" ") else {
          return note(node.mark, "\(setting.key) must have \(members) without commas, and without spaces at their ends")
        }
        texts.append(scalar.string)
      }
      let text = texts.joined(separator: ",")
      if !texts.isEmpty, let problem = texts.contains("") ? "must have no empty \(members)" : setting.kind.problem(text) {
        note(mark, "\(setting.key) \(problem), it is '\(setting.kind.shown(text))'")
      } else {
        values[setting.key] = text
      }
    }
  }
}
