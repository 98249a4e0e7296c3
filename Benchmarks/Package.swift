// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that no one who builds or tests Baton builds its benchmarks.
let package = Package(
  name: "baton-benchmarks",
  dependencies: [
    .package(name: "baton", path: ".."),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
  ],
  targets: [
    .executableTarget(
      name: "baton-bench",
      dependencies: [
        .product(name: "BenchmarkedParts", package: "baton"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "baton-bench",
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .treatAllWarnings(as: .error),
      ])
  ]
)
