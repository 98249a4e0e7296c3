import Foundation
import RelayNetwork
import TestSupport
import Testing

@testable import DaemonProgram

/// The option `simplex.files`.
struct FileFolderOptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func settings(
    _ value: String?, _ arguments: [String: String] = [:], environment: [String: String] = [:]
  ) async throws -> Settings {
    let path = folder.path + "/batond.yaml"
    try (value.map { "simplex:\n  files: \($0)\n" } ?? "").write(toFile: path, atomically: true, encoding: .utf8)
    return try await Settings(
      arguments: arguments, environment: environment, files: ConfigurationFiles(path, vendorFile: folder.path + "/vendor.yaml"))
  }

  @Test func noFolderIsTheDefault() async throws {
    for none in [nil, "", "''"] { #expect(try await settings(none).simplexFiles == nil) }
    let named = try await settings("/srv/files/")
    #expect(named.simplexFiles?.path == "/srv/files")
    #expect(try await settings(nil, environment: ["BATON_SIMPLEX_FILES": "/srv/files"]).simplexFiles == named.simplexFiles)
    // It is read at the start.
    let changed = named.differences(to: try await settings(nil))
    #expect(changed.map(\.key) == ["simplex.files"] && changed.allSatisfy { !$0.appliesOnReload })
  }

  @Test func whatIsNoFolderIsRefused() async throws {
    for value in ["files", "/", "/srv/../etc", "/srv//files", "/srv/./files"] {
      let error = await #expect(throws: ConfigurationError.self) { try await settings(value) }
      let problems = try #require(error?.problems.map(\.description))
      #expect(problems.count == 1 && problems[0].contains("batond.yaml:2:"), "\(problems)")
      #expect(problems[0].contains("simplex.files must be the absolute path of a folder"), "\(problems)")
    }
  }

  @Test func foldersThatOthersCanWriteToAreRefused() async throws {
    let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/files"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    for (mode, isRefused) in [(0o755, false), (0o700, false), (0o2775, true), (0o757, true), (0o1777, true)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      do {
        #expect(try await settings(path).simplexFiles?.path == path && !isRefused, "\(mode)")
      } catch let error as ConfigurationError {
        #expect(
          isRefused && error.description.contains("simplex.files: is not a folder whose files may be published"), "\(error)")
        #expect(error.description.contains("others can write to \(path)"), "\(error)")
      }
    }
  }

  /// Whoever may publish could send the key of all identities otherwise.
  @Test func stateOfTheDaemonIsNotPublished() async throws {
    for (files, state) in [
      ("/srv/state", "/srv/state"), ("/srv/state", "/srv/state/"), ("/srv", "/srv/state"), ("/var", "/var/lib/batond"),
      ("/srv/state/core", "/srv/state"), ("/srv", "/srv//state"), ("/srv", "/srv/./state"),
    ] {
      let error = await #expect(throws: ConfigurationError.self) { try await settings(files, ["state.directory": state]) }
      #expect(error?.description.contains("must not contain state.directory") == true, "\(files)")
    }
    for (files, state) in [("/srv/files", "/srv/files2"), ("/srv/files", "/srv/state")] {
      #expect(try await settings(files, ["state.directory": state]).simplexFiles?.path == files)
    }
  }
}
