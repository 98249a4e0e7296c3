import Foundation
import Glibc

/// Feeds the parsers of everything that peers send with inputs that are almost right, and checks what must hold whatever comes.
///
/// `baton-fuzz [INPUTS]` says at its end how many inputs it took and by how much memory grew. `BATON_SEED=n` repeats a run. A run that breaks a
/// rule ends with status 1 and shows the input; one that crashes or hangs ends with a signal, and the batch that it names is where.
@main
enum Fuzz {
  private static let batchSize = 10_000
  /// Far more than one batch takes on the slowest machine.
  private static let batchSecondsMax: UInt32 = 300

  static func main() {
    // Targets with timers of their own go first.
    nice(10)
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? 20_261_121
    let wanted = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
    let batches = max(1, (wanted + batchSize - 1) / batchSize)
    say("seed \(seed)")
    var mutator = Mutator(random: Random(seed: seed))
    var targets = Targets(seed: seed)
    var settled = 0
    for batch in 1...batches {
      say("batch \(batch) of \(batches)")
      alarm(batchSecondsMax)
      for _ in 0..<batchSize {
        let input = mutator.input()
        do {
          try targets.take(input)
        } catch {
          say("broken with BATON_SEED=\(seed): \(error): \(input.map { String(format: "%02x", $0) }.joined())")
          exit(1)
        }
      }
      // By then every buffer has had its largest content.
      if batch == (batches + 9) / 10 { settled = peakKilobytes }
    }
    say("\(batches * batchSize) inputs, \(targets.accepted) accepted, grew by \(peakKilobytes - settled) KiB")
  }

  /// Unbuffered: the last line must not be lost in a crash.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// The most memory that this process has had resident.
  private static var peakKilobytes: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
  }
}
