@testable import DaemonProgram

/// The text about options in batond.yaml(5) and in the example file, as it follows from the code.
enum OptionReference {
  /// The list of options in batond.yaml(5), the advanced ones last.
  static var manual: String {
    let everyday = list(Setting.all.filter { !$0.isAdvanced })
    let advanced = list(Setting.all.filter { $0.isAdvanced })
    return (everyday + [".Ss Advanced", "Most installations need none of these."] + advanced + [""]).joined(separator: "\n")
  }

  private static func list(_ settings: [Setting]) -> [String] {
    var lines = [".Bl -tag -width Ds"]
    for setting in settings {
      lines.append(".It Sy \(setting.key)")
      lines.append(sentence(setting.summary.replacing("`", with: "")))
      lines.append("\(type(of: setting.kind)),")
      if setting.fallback.isEmpty {
        lines.append("empty by default.")
      } else {
        lines += ["by default", ".Li \(setting.fallback) ."]
      }
      lines.append(setting.appliesOnReload ? "Applied by a reload." : "Takes effect at the next start.")
    }
    return lines + [".El"]
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

  private static func type(of kind: Setting.Kind) -> String {
    switch kind {
    case .path: "An absolute path"
    case .fileFolder: "The absolute path of a folder"
    case .level: "One of \(Setting.levels.joined(separator: ", "))"
    case .group: "The name of a group"
    case .existingGroup: "The name of a group that exists"
    case .name: "A name"
    case .duration: "A time span"
    case .integer(let range): "A whole number from \(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .keys: "A list of keys of custom data"
    case .webServers: "A list of addresses of servers"
    case .database: "An address of a PostgreSQL database"
    case .endpoint: "An address of this machine and a port, HOST:PORT"
    }
  }

  /// The example file: every option with its default, as a comment, and in each section the advanced ones last.
  static var example: String {
    var root = Section(name: "")
    for setting in Setting.all { root.add(setting.key.split(separator: ".").map(String.init)[...], setting) }
    let head = """
      # Every option of batond with its default. Copy the options that you change to /etc/batond/batond.yaml. See batond.yaml(5).
      # Most installations need none of the options under "Advanced".
      # Time spans are a whole number with ms, s, min or h.

      """
    return head + root.lines(depth: 0).joined(separator: "\n") + "\n"
  }

  private struct Section {
    let name: String
    var settings: [(name: String, setting: Setting)] = []
    var sections: [Section] = []

    mutating func add(_ path: ArraySlice<String>, _ setting: Setting) {
      guard let first = path.first else { return }
      if path.count == 1 { return settings.append((first, setting)) }
      let index = sections.firstIndex { $0.name == first } ?? sections.count
      if index == sections.count { sections.append(Section(name: first)) }
      sections[index].add(path.dropFirst(), setting)
    }

    /// Whether all of its options are advanced.
    var isAdvanced: Bool { settings.allSatisfy { $0.setting.isAdvanced } && sections.allSatisfy { $0.isAdvanced } }

    func lines(depth: Int) -> [String] {
      let indent = String(repeating: "  ", count: depth)
      let everyday = lines(depth: depth, advanced: false)
      let advanced = lines(depth: depth, advanced: true)
      let heading = everyday.isEmpty || advanced.isEmpty ? [] : ["\(indent)# Advanced"]
      return everyday + heading + advanced
    }

    private func lines(depth: Int, advanced: Bool) -> [String] {
      let indent = String(repeating: "  ", count: depth)
      var lines: [String] = []
      for (name, setting) in settings where setting.isAdvanced == advanced {
        lines += [
          "\(indent)# \(setting.summary)", "\(indent)#\(name):\(setting.fallback.isEmpty ? "" : " " + setting.fallback)",
        ]
      }
      for section in sections where section.isAdvanced == advanced {
        lines += ["\(indent)\(section.name):"] + section.lines(depth: depth + 1)
      }
      return lines
    }
  }
}
