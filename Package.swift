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
let mustache: Target.Dependency = .product(name: "Mustache", package: "swift-mustache")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "baton",
  products: [
    .executable(name: "baton", targets: ["baton"]),
    .executable(name: "batond", targets: ["batond"]),
    .executable(name: "batonctl", targets: ["batonctl"]),
    .executable(name: "baton-sandbox", targets: ["baton-sandbox"]),
    .library(name: "BatonClient", targets: ["BatonClient", "ControlAPI", "Filters", "Sentences", "StrictJSON", "Varlink"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
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
    .target(name: "Store", dependencies: ["Channels", "Secrets", "StrictJSON", "Filters", "Storage", "Cryptography", grdb, sqlite]),
    .target(name: "PostgreSQL", dependencies: ["CPostgreSQL"]),
    // Which daemon does what, where several share a database. It imports nothing.
    .target(name: "Cluster"),
    .target(
      name: "PostgreSQLStore",
      dependencies: ["Channels", "Cluster", "Filters", "PostgreSQL", "Storage", "Store", "StrictJSON"]),
    .target(
      name: "Dialing",
      dependencies: [
        "Channels", .product(name: "NIOWebSocket", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nio,
      path: "Sources/Networks/Dialing"),
    .target(
      name: "WebFiles",
      dependencies: [
        "Channels", "StrictJSON", "Dialing", "HTTPHandlers", "Cryptography", .product(name: "NIOHTTP1", package: "swift-nio"),
      ] + nio),
    .target(
      name: "SimpleX",
      dependencies: [
        "Channels", "Secrets", "RelayNetwork", "StrictJSON", "Dialing", "HTTPHandlers", "CSpawn", "CTLSClient", log,
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
    .target(
      name: "ControlAPI", dependencies: ["Sentences", "StrictJSON", "Varlink"],
      resources: [.embedInCode("interfaces")]),
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
        "Secrets", "StrictJSON", "Nostr", "HTTPHandlers", "Cryptography", grdb, .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ] + nioWebSocket),

    // The programs, as libraries: what is installed is one program with all of them (docs/decisions/0018-one-program.md).
    .target(
      name: "DaemonProgram",
      dependencies: [
        "Accounts", "Channels", "StrictJSON", "RelayNetwork", "Nostr", "SimpleX", "Provisioning", "Storage", "Store",
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
    .target(
      name: "ConsoleProgram",
      dependencies: [
        "Accounts", "BatonClient", "ControlAPI", "Sentences", "Varlink", "StrictJSON", "Channels", "QRCodes", "Systemd",
        "HTTPHandlers", "ProgramEnd", "Cryptography", "Secrets", mustache, arguments, log,
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ] + hummingbird + nio,
      path: "Sources/baton-console",
      resources: [.embedInCode("templates"), .embedInCode("assets"), .embedInCode("interfaces")]),

    // All of them under one roof, and each by itself for the tests and the demo.
    .executableTarget(
      name: "baton", dependencies: ["DaemonProgram", "ControlProgram", "SandboxProgram", "ProgramEnd"],
      path: "Sources/Programs/baton"),
    .executableTarget(name: "batond", dependencies: ["DaemonProgram"], path: "Sources/Programs/batond"),
    .executableTarget(name: "batonctl", dependencies: ["ControlProgram"], path: "Sources/Programs/batonctl"),
    .executableTarget(name: "baton-sandbox", dependencies: ["SandboxProgram"], path: "Sources/Programs/baton-sandbox"),
    .executableTarget(name: "baton-console", dependencies: ["ConsoleProgram"], path: "Sources/Programs/baton-console"),

    .executableTarget(
      name: "baton-bench",
      dependencies: [
        "Channels", "RelayNetwork", "Nostr", "Coordinator", "Storage", "Store", "Varlink", "ControlAPI", "ControlServer",
        "BatonClient", "StrictJSON", "TestSupport", log,
      ] + nio,
      path: "Benchmarks/baton-bench"),

    // Tests.
    .target(
      name: "TestSupport",
      dependencies: [
        "CSpawn", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "Coordinator", "Cluster", "PostgreSQL",
        "PostgreSQLStore",
        "StrictJSON", log,
      ] + nio,
      path: "Tests/TestSupport",
      exclude: ["exit_handler.c", "other_clock.c"]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "Secrets", "TestSupport"]),
    .testTarget(name: "MetersTests", dependencies: ["Meters"]),
    .testTarget(name: "ChannelsTests", dependencies: ["Channels", "TestSupport"], exclude: ["Transcripts"]),
    .testTarget(name: "StrictJSONTests", dependencies: ["StrictJSON"]),
    .testTarget(
      name: "NostrTests",
      dependencies: [
        "Nostr", "Dialing", "Channels", "Secrets", "RelayNetwork", "Sandbox", "StrictJSON", "TestSupport", log,
      ] + nio,
      exclude: ["Vectors"]),
    .target(name: "ScriptedCore", dependencies: ["HTTPHandlers", "StrictJSON"] + nioWebSocket, path: "Tests/ScriptedCore"),
    .testTarget(
      name: "SimpleXTests",
      dependencies: [
        "SimpleX", "ScriptedCore", "Dialing", "Channels", "RelayNetwork", "StrictJSON", "TestSupport", log,
        .product(name: "NIOEmbedded", package: "swift-nio"),
      ] + nioWebSocket,
      exclude: ["c", "python", "Transcripts", "Vectors"]),
    .testTarget(
      name: "WebFilesTests",
      dependencies: ["WebFiles", "StrictJSON", "TestSupport", .product(name: "NIOSSL", package: "swift-nio-ssl")] + nio),
    .testTarget(
      name: "ProvisioningTests",
      dependencies: ["Provisioning", "SimpleX", "Nostr", "Channels", "RelayNetwork", "TestSupport", log] + nio),
    .testTarget(
      name: "StoreTests",
      dependencies: ["Storage", "Store", "Channels", "Secrets", "StrictJSON", "Filters", "TestSupport", grdb]),
    .testTarget(name: "ClusterTests", dependencies: ["Cluster", "Channels", "TestSupport"]),
    .testTarget(name: "PostgreSQLTests", dependencies: ["PostgreSQL", "Channels", "TestSupport"]),
    .testTarget(
      name: "PostgreSQLStoreTests",
      dependencies: [
        "PostgreSQLStore", "PostgreSQL", "Cluster", "Channels", "Coordinator", "RelayNetwork", "Storage", "Store",
        "TestSupport",
      ]),
    .testTarget(
      name: "CoordinatorTests",
      dependencies: [
        "Coordinator", "Channels", "RelayNetwork", "SimpleX", "Storage", "Store", "StrictJSON", "TestSupport", log,
      ],
      exclude: ["Transcripts"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Coordinator", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "TestSupport", grdb, log],
      path: "Tests/Simulation"),
    .testTarget(
      name: "SimpleXSimulation",
      dependencies: [
        "SimpleX", "ScriptedCore", "Coordinator", "Channels", "Secrets", "RelayNetwork", "Storage", "Store", "StrictJSON",
        "TestSupport", log,
      ] + nio),
    .executableTarget(name: "baton-fuzz", dependencies: ["Varlink", "StrictJSON"] + nio, path: "Tests/Fuzz"),
    .testTarget(
      name: "VarlinkTests",
      dependencies: ["Varlink", "ControlAPI", "StrictJSON", "TestSupport", "VarlinkCertification", "baton-fuzz"] + nio),
    .target(
      name: "VarlinkCertification", dependencies: ["Varlink", "StrictJSON"], path: "Tests/VarlinkCertification"),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "Accounts", "ControlServer", "ControlAPI", "BatonClient", "Coordinator", "Sentences", "Storage", "Store", "StrictJSON",
        "Filters",
        "Varlink",
        "Channels", "Meters", "PostgreSQLStore", "RelayNetwork", "SimpleX", "TestSupport", log,
      ] + nio,
      exclude: ["python"]),
    .testTarget(
      name: "BatondTests",
      dependencies: ["DaemonProgram", "Channels", "Coordinator", "RelayNetwork", "SimpleX", "Systemd", "TestSupport", log]),
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
        "BatonClient", "ControlAPI", "Varlink", "StrictJSON", "TestSupport", "ScriptedCore", "ControlProgram", "QRCodes",
        "baton", "baton-console",
        "example-bridge",
        "batond", "batonctl", "baton-sandbox", "SimpleX", "Nostr", "Dialing", "WebFiles", "Channels", "RelayNetwork",
        arguments,
      ] + nio,
      exclude: ["python"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + strict
}
