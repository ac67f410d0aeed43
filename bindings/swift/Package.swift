// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Akunu",
    products: [.library(name: "Akunu", targets: ["Akunu"])],
    targets: [
        // The C library where pkg-config finds it (tools/capi.sh installs one).
        .systemLibrary(name: "CAkunu", pkgConfig: "akunu"),
        .target(name: "Akunu", dependencies: ["CAkunu"]),
        .testTarget(name: "AkunuTests", dependencies: ["Akunu"]),
    ]
)
