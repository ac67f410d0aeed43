// swift-tools-version:5.9
import PackageDescription

// The C library: where pkg-config finds it (tools/capi.sh installs one), or in a bundle that tools/swift_bundle.sh has made, which
// AKUNU_BUNDLE names as seen from this folder.
let library: Target
if let bundle = Context.environment["AKUNU_BUNDLE"], !bundle.isEmpty {
    library = .binaryTarget(name: "CAkunu", path: bundle)
} else {
    library = .systemLibrary(name: "CAkunu", pkgConfig: "akunu")
}

let package = Package(
    name: "Akunu",
    platforms: [.macOS(.v13)],
    products: [.library(name: "Akunu", targets: ["Akunu"])],
    targets: [
        library,
        .target(name: "Akunu", dependencies: ["CAkunu"]),
        .testTarget(name: "AkunuTests", dependencies: ["Akunu"]),
    ]
)
