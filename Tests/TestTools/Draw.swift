public import Channels

extension SplitMix64 {
  /// A number of `range` in so many percent of the cases, and otherwise 0. Either way as much of the generator is used up, so that what is
  /// drawn later does not depend on it.
  public mutating func draw(_ percent: Int, _ range: ClosedRange<Int>) -> Int {
    let isOn = Int.random(in: 0..<100, using: &self) < percent
    let value = Int.random(in: range, using: &self)
    return isOn ? value : 0
  }

  /// True in so many percent of the cases.
  public mutating func draw(_ percent: Int) -> Bool { draw(percent, 1...1) == 1 }
}
