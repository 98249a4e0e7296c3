// swift-tools-version: 6.2

import PackageDescription

/// Settings that hold for every Swift target: imports are explicit and existentials are marked.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let nio: [Target.Dependency] = [
  .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
]

let nioWebSocket: [Target.Dependency] =
  nio + [
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOWebSocket", package: "swift-nio"),
  ]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
/// The C interface of the SQLite that GRDB uses.
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let hummingbird: [Target.Dependency] = [
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "HummingbirdCore", package: "hummingbird"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
]
/// Used by these libraries only, and named so that their versions are fixed.
let beneath: [Target.Dependency] = [
  .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
  .product(name: "Atomics", package: "swift-atomics"),
  .product(name: "Metrics", package: "swift-metrics"),
  .product(name: "ServiceContextModule", package: "swift-service-context"),
  .product(name: "SystemPackage", package: "swift-system"),
  .product(name: "Tracing", package: "swift-distributed-tracing"),
]
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "baton",
  products: [
    .executable(name: "baton", targets: ["baton"]),
    .library(name: "BatonClient", targets: ["BatonClient", "ControlAPI", "Filters", "Sentences", "StrictJSON", "Varlink"]),
    // What Benchmarks measures.
    .library(
      name: "BenchmarkedParts",
      targets: [
        "Channels", "RelayNetwork", "Nostr", "Coordinator", "Storage", "Store", "Varlink", "ControlAPI", "ControlServer",
        "BatonClient", "StrictJSON", "TestSupport",
      ]),
  ],
  // Exact versions, so that the same commit is the same program next year; docs/dependencies.md says what each is for. What the library
  // BatonClient brings to other packages leaves them the choice of a fix.
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
    .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    // Libraries of these libraries.
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-service-context", exact: "1.5.1"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
  ],
  targets: [
    // System libraries.
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSecp256k1", pkgConfig: "libsecp256k1", providers: [.apt(["libsecp256k1-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSpawn"),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

    // OpenSSL, for servers with Ed448 certificates, which BoringSSL does not know (docs/decisions/0005-openssl-for-servers.md).
    .target(name: "CTLSClient", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

    // libpq, which is loaded when it is needed (docs/decisions/0038-libpq-is-loaded.md).
    .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("dl")]),

    // The pure core. It imports nothing.
    .target(name: "Channels"),

    // Keys in memory.
    .target(name: "Secrets"),

    // Digests and encryption (docs/decisions/0050-openssl-for-digests.md).
    .target(name: "Cryptography", dependencies: ["COpenSSL", "Secrets"]),

    // What people are told when something is refused.
    .target(name: "Sentences"),

    // Libraries, from the bottom up.
    .target(name: "StrictJSON"),
    .target(name: "Filters", dependencies: ["StrictJSON"]),
    .target(name: "Systemd", dependencies: ["CSystemd", log]),
    .target(name: "QRCodes", dependencies: ["CQREncode"]),
    .target(name: "Accounts"),
    .target(name: "ProgramEnd", dependencies: [arguments]),
    .target(
      name: "HTTPHandlers",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .target(name: "RelayNetwork", dependencies: ["Channels", "Secrets"]),
    .target(name: "Provisioning", dependencies: ["Channels", "RelayNetwork", .product(name: "Yams", package: "Yams")]),
    .target(name: "Storage", dependencies: ["Channels", "Secrets", "StrictJSON", "Filters", "Cryptography"]),
    .target(
      name: "Store", dependencies: ["Channels", "Secrets", "StrictJSON", "Filters", "Storage", "Cryptography", grdb, sqlite]),
    .target(name: "PostgreSQL", dependencies: ["Channels", "CPostgreSQL"]),
    // Which daemon does what, where several share a database. It imports nothing.
    .target(name: "Cluster"),
    .target(
      name: "PostgreSQLStore",
      dependencies: ["Channels", "Cluster", "Filters", "PostgreSQL", "Storage", "Store", "StrictJSON"]),
    .target(
      name: "Dialing",
      dependencies: [
        "Channels", "HTTPHandlers", .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nioWebSocket,
      path: "Sources/Networks/Dialing"),
    .target(
      name: "WebFiles",
      dependencies: [
        "Channels", "StrictJSON", "Dialing", "HTTPHandlers", "Cryptography", .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio),
    .target(
      name: "SimpleX",
      dependencies: [
        "Channels", "Secrets", "RelayNetwork", "StrictJSON", "Dialing", "CSpawn", "CTLSClient", log,
        .product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "DequeModule", package: "swift-collections"),
      ] + nioWebSocket,
      path: "Sources/Networks/SimpleX"),
    .target(
      name: "Nostr",
      dependencies: [
        "Channels", "Secrets", "RelayNetwork", "StrictJSON", "Dialing", "HTTPHandlers", "CSecp256k1", "Cryptography", log,
        .product(name: "DequeModule", package: "swift-collections"), .product(name: "NIOTLS", package: "swift-nio"),
      ] + nioWebSocket,
      path: "Sources/Networks/Nostr"),
    .target(
      name: "Coordinator",
      dependencies: [
        "Channels", "Secrets", "Sentences", "RelayNetwork", "Storage", "StrictJSON", "Meters", log,
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    .target(name: "Meters"),
    .target(name: "Varlink", dependencies: ["StrictJSON"] + nio),
    .target(name: "CInterfaces"),
    .target(name: "ControlAPI", dependencies: ["CInterfaces", "Sentences", "StrictJSON", "Varlink"], exclude: ["interfaces"]),
    .target(
      name: "ControlServer",
      dependencies: [
        "Accounts", "Channels", "Secrets", "RelayNetwork", "Storage", "Coordinator", "StrictJSON", "Filters", "Meters",
        "Varlink", "ControlAPI", log,
      ]
        + nio),
    .target(name: "ControlGenerator", dependencies: ["Varlink"]),
    .executableTarget(name: "baton-generate", dependencies: ["ControlGenerator", "Varlink"]),
    .target(
      name: "BatonClient",
      dependencies: [
        "StrictJSON", "Filters", "Varlink", "ControlAPI", .product(name: "DequeModule", package: "swift-collections"),
      ] + nio),
    // An example that is built like the programs (docs/conversations.md).
    .executableTarget(
      name: "example-bridge", dependencies: ["BatonClient", "ControlAPI", "StrictJSON"], path: "examples/bridge",
      exclude: ["README.md"]),
    .target(
      name: "Sandbox",
      dependencies: [
        "Secrets", "StrictJSON", "Nostr", "HTTPHandlers", "Cryptography", grdb,
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nioWebSocket),

    // The programs, as libraries: what is installed is one program with all of them (docs/decisions/0018-one-program.md).
    .target(
      name: "DaemonProgram",
      dependencies: [
        "Accounts", "Channels", "StrictJSON", "RelayNetwork", "Dialing", "Nostr", "SimpleX", "Provisioning", "Storage", "Store",
        "Coordinator",
        "ControlServer", "Filters", "ControlAPI", "Varlink", "Systemd", "WebFiles", "Cluster", "PostgreSQL", "PostgreSQLStore",
        "ProgramEnd", log, arguments,
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Yams", package: "Yams"),
      ] + nio,
      path: "Sources/batond"),
    .target(
      name: "ControlProgram",
      dependencies: [
        "BatonClient", "ControlAPI", "Sentences", "Varlink", "StrictJSON", "Filters", "QRCodes", "CSpawn", "Channels",
        "RelayNetwork",
        "Provisioning", "WebFiles", "ProgramEnd", "Cryptography", arguments,
      ] + nio,
      path: "Sources/batonctl"),
    .target(name: "SandboxProgram", dependencies: ["Sandbox", "ProgramEnd", arguments], path: "Sources/baton-sandbox"),
    .target(name: "CPages"),
    .target(
      name: "ConsoleProgram",
      dependencies: [
        "CPages", "Accounts", "BatonClient", "ControlAPI", "Sentences", "Varlink", "StrictJSON", "Channels", "QRCodes",
        "Systemd",
        "HTTPHandlers", "ProgramEnd", "Cryptography", "Secrets", mustache, arguments, log,
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + hummingbird + beneath + nio,
      path: "Sources/baton-console",
      exclude: ["assets", "interfaces", "templates"]),

    // All of them under one roof.
    .executableTarget(
      name: "baton", dependencies: ["DaemonProgram", "ControlProgram", "SandboxProgram", "ConsoleProgram", "ProgramEnd"],
      path: "Sources/Programs/baton"),

    // Tests.
    .target(
      name: "TestTools",
      dependencies: ["CSpawn", "Channels", "Secrets", log],
      path: "Tests/TestTools",
      exclude: ["exit_handler.c", "other_clock.c"]),
    .target(
      name: "TestSupport",
      dependencies: [
        "TestTools", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "Coordinator", "Cluster", "PostgreSQL",
        "PostgreSQLStore", "StrictJSON", log,
      ] + nio,
      path: "Tests/TestSupport"),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "Secrets", "TestTools"]),
    .testTarget(
      name: "ControlProgramTests",
      dependencies: [
        "ControlProgram", "ControlAPI", "QRCodes", "StrictJSON", "Varlink", "WebFiles", "TestTools", arguments,
      ]),
    .testTarget(name: "MetersTests", dependencies: ["Meters"]),
    .testTarget(name: "ChannelsTests", dependencies: ["Channels", "TestTools"], exclude: ["Transcripts"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
    .testTarget(
      name: "NostrTests",
      dependencies: [
        "Nostr", "Dialing", "Channels", "Secrets", "RelayNetwork", "Sandbox", "StrictJSON", "TestTools", log,
      ] + nio,
      exclude: ["Vectors"]),
    .target(name: "ScriptedCore", dependencies: ["HTTPHandlers", "StrictJSON"] + nioWebSocket, path: "Tests/ScriptedCore"),
    .testTarget(
      name: "SimpleXTests",
      dependencies: [
        "SimpleX", "ScriptedCore", "Dialing", "Channels", "RelayNetwork", "StrictJSON", "TestTools", log,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nioWebSocket,
      exclude: ["c", "python", "Transcripts", "Vectors"]),
    .testTarget(
      name: "WebFilesTests",
      dependencies: ["WebFiles", "StrictJSON", "TestTools", .product(name: "NIOSSL", package: "swift-nio-ssl")] + nio),
    .testTarget(
      name: "ProvisioningTests",
      dependencies: ["Provisioning", "SimpleX", "Nostr", "Channels", "RelayNetwork", "TestTools", log] + nio),
    .testTarget(
      name: "StoreTests",
      dependencies: ["Storage", "Store", "Channels", "Secrets", "StrictJSON", "Filters", "TestSupport", "TestTools", grdb]),
    .testTarget(name: "ClusterTests", dependencies: ["Cluster", "Channels", "TestTools"]),
    .testTarget(name: "PostgreSQLTests", dependencies: ["PostgreSQL", "Channels", "TestTools"]),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "PostgreSQLStore", "PostgreSQL", "Cluster", "Channels", "Coordinator", "Filters", "RelayNetwork", "Storage", "Store",
        "StrictJSON", "TestSupport", "TestTools",
      ]),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: [
        "Coordinator", "Channels", "RelayNetwork", "SimpleX", "Storage", "Store", "StrictJSON", "TestSupport", "TestTools", log,
      ],
      exclude: ["Transcripts"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Coordinator", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "TestSupport", "TestTools", grdb, log,
      ],
      path: "Tests/Simulation"),
    .testTarget(
      name: "SimpleXSimulation",
      dependencies: [
        "SimpleX", "ScriptedCore", "Coordinator", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "StrictJSON",
        "TestSupport", "TestTools", log,
      ] + nio),
    .executableTarget(name: "baton-fuzz", dependencies: ["Varlink", "StrictJSON"] + nio, path: "Tests/Fuzz"),
    .testTarget(
      name: "VarlinkTests",
      dependencies: ["Varlink", "ControlAPI", "StrictJSON", "TestTools", "VarlinkCertification", "baton-fuzz"] + nio),
    .target(
      name: "VarlinkCertification", dependencies: ["Varlink", "StrictJSON"], path: "Tests/VarlinkCertification"),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "Accounts", "ControlServer", "ControlAPI", "BatonClient", "Coordinator", "Sentences", "Storage", "Store", "StrictJSON",
        "Filters",
        "Varlink",
        "Channels", "Meters", "PostgreSQLStore", "RelayNetwork", "SimpleX", "TestSupport", "TestTools", log,
      ] + nio,
      exclude: ["python"]),
    .testTarget(
      name: "BatondTests",
      dependencies: [
        "DaemonProgram", "Channels", "ControlAPI", "Coordinator", "RelayNetwork", "SimpleX", "Storage", "Store", "Systemd",
        "TestSupport",
        "TestTools", "Varlink", log,
      ]),
    .testTarget(
      name: "ConsoleTests",
      dependencies: [
        "ConsoleProgram", "Channels", "ControlAPI", "Sentences", "StrictJSON", mustache,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + hummingbird + nio),
    .testTarget(
      name: "RepositoryTests",
      dependencies: [
        "Channels", "Coordinator", "ControlAPI", "ControlGenerator", "Meters", "Sentences", "StrictJSON", "Varlink",
      ]),
    .testTarget(
      name: "EndToEnd",
      dependencies: [
        "BatonClient", "ControlAPI", "Varlink", "StrictJSON", "TestTools", "ScriptedCore", "ControlProgram", "QRCodes",
        "baton", "example-bridge", "SimpleX", "Nostr", "Dialing", "WebFiles", "Channels", "RelayNetwork",
        arguments,
      ] + nio,
      exclude: ["python"]),
  ]
)

// BATON_TESTS=ChannelsTests leaves out what these tests do not need, so that a change is tried in a minute.
if let wanted = Context.environment["BATON_TESTS"] {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard needed.insert(name).inserted else { return }
    for case .byNameItem(let name, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? [] { need(name) }
  }
  need(wanted)
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}

for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + strict
}
