@testable import Coordinator

extension Recovery {
  /// Whether storage works and nothing is left to store or read.
  var isOver: Bool { trouble == nil && channels.isEmpty && objects.isEmpty && roundTrips.isEmpty }
}
