internal import ControlGenerator
internal import Foundation
internal import Varlink

// Writes the Swift types and clients of the control interfaces: baton-generate DIRECTORY-OF-INTERFACES SOURCES

guard CommandLine.arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: baton-generate DIRECTORY-OF-INTERFACES SOURCES\n".utf8))
  exit(64)
}
do {
  let (source, target) = (CommandLine.arguments[1], CommandLine.arguments[2])
  let names = try FileManager.default.contentsOfDirectory(atPath: source).filter { $0.hasSuffix(".varlink") }
  let interfaces = try names.map { try IDL.parse(try String(contentsOfFile: "\(source)/\($0)", encoding: .utf8)) }
  var generator = Generator()
  for file in try generator.files(for: interfaces) {
    try file.text.write(toFile: "\(target)/\(file.name)", atomically: true, encoding: .utf8)
  }
} catch {
  FileHandle.standardError.write(Data("baton-generate: \(error)\n".utf8))
  exit(1)
}
