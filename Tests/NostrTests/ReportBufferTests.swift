import RelayNetwork
import Synchronization
import Testing

struct ReportBufferTests {
  @Test func earlyReportsComeFirst() {
    let buffer = ReportBuffer<Int>(keptMax: 2)
    for report in 1...3 { buffer.add(report) }
    let reports = Mutex<[Int]>([])
    buffer.start { report in reports.withLock { $0.append(report) } }
    buffer.add(4)
    #expect(reports.withLock { $0 } == [1, 2, 4], "the third was one too many")
  }
}
