import Foundation
import XCTest

@testable import Akunu

/// `AKUNU_MODEL` names SmolLM2's file, `AKUNU_TINY` a tiny random model's.
final class AkunuTests: XCTestCase {
    private static func path(_ name: String) throws -> String {
        try XCTUnwrap(ProcessInfo.processInfo.environment[name], "set \(name)")
    }

    private static let smollm2 = try! Model(path("AKUNU_MODEL"), context: 1024)
    private static let tiny = try! Model(path("AKUNU_TINY"), context: 1024)

    func testATextGoesOn() async throws {
        let g = try await Self.smollm2.generate("The capital of France is", Options(maxTokens: 8, temperature: 0))
        XCTAssert(g.text.hasPrefix(" Paris"), g.text)
        XCTAssertEqual(g.tokens.count, 8)
        XCTAssertEqual(g.finish, .length)
        XCTAssertEqual(g.promptTokens, 5)
    }

    func testPiecesAreTheText() async throws {
        let answer = try Self.smollm2.chat([.user("Count to five.")], Options(maxTokens: 20, temperature: 0))
        var text = ""
        for try await piece in answer {
            if case .text(let t) = piece { text += t }
        }
        let whole = try await answer.result()
        XCTAssertEqual(text, whole.text)
        XCTAssertFalse(text.isEmpty)
    }

    func testStopStringsAndSeeds() async throws {
        let options = Options(maxTokens: 40, temperature: 0, stop: ["6", "never"])
        let g = try await Self.smollm2.generate("Count: 1, 2, 3,", options)
        XCTAssertEqual(g.finish, .stopString)
        XCTAssertFalse(g.text.contains("6"))
        let seeded = Options(maxTokens: 12, temperature: 1, seed: 5)
        let a = try await Self.smollm2.generate("A word:", seeded)
        let b = try await Self.smollm2.generate("A word:", seeded)
        XCTAssertEqual(a, b)
    }

    func testAnswersAreValues() async throws {
        struct City: Codable { let name: String, large: Bool }
        let schema = """
            {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "large": {"type": "boolean"}},
             "required": ["name", "large"], "additionalProperties": false}
            """
        let city = try await Self.smollm2.generate("A city as JSON: ", as: City.self, schema: schema, Options(maxTokens: 60, temperature: 0))
        XCTAssertLessThanOrEqual(city.name.count, 12)
    }

    func testErrorsSayWhat() async throws {
        XCTAssertThrowsError(try Model("/no/such.gguf")) { XCTAssert("\($0)".contains("/no/such.gguf"), "\($0)") }
        XCTAssertThrowsError(try Self.tiny.stream("x", Options(temperature: -1))) {
            XCTAssert("\($0)".contains("temperature"), "\($0)")
        }
        XCTAssertThrowsError(try Self.tiny.stream("x", grammar: .regex("("))) {
            XCTAssert("\($0)".contains("regular expression"), "\($0)")
        }
    }

    func testCancellingATaskEndsTheRequest() async throws {
        let answer = try Self.tiny.stream("once", Options(temperature: 1))
        let task = Task {
            for try await _ in answer { withUnsafeCurrentTask { $0?.cancel() } }
        }
        do {
            try await task.value
            XCTFail("a cancelled task goes on")
        } catch is CancellationError {}
        // What is left of the answer, if anything, ends.
        _ = try await answer.result()
    }

    func testManyTasks() async throws {
        let options = Options(maxTokens: 20, temperature: 1, seed: 4)
        try await withThrowingTaskGroup(of: [UInt32].self) { group in
            for _ in 0 ..< 32 { group.addTask { try await Self.tiny.generate("once upon", options).tokens } }
            for try await tokens in group { XCTAssert((1 ... 20).contains(tokens.count)) }
        }
    }
}
