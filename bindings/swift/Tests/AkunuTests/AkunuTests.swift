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

    private static let addition = Tool(
        name: "add", description: "Adds \"two\" things.",
        parameters: #"{"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false}"#)

    func testToolsAreCalled() async throws {
        struct Arguments: Decodable { let a: Bool }
        let answer = try Self.tiny.chat([.user("do it")], Options(maxTokens: 400, temperature: 0), tools: [Self.addition], choice: .named("add"))
        var pieces: [ToolCall] = []
        for try await piece in answer {
            if case .call(let call) = piece { pieces.append(call) }
        }
        let whole = try await answer.result()
        XCTAssertEqual(whole.toolCalls, pieces)
        XCTAssertEqual(pieces.map(\.name), ["add"])
        _ = try pieces[0].decoded(as: Arguments.self)
        // What was called and what it has given go back.
        let back = [.user("do it"), whole.message, .tool("add", "done")]
        _ = try await Self.tiny.chat(back, Options(maxTokens: 2, temperature: 0), tools: [Self.addition]).result()
        XCTAssertThrowsError(try Self.tiny.chat([.user("x")], tools: [Self.addition], choice: .named("sub"))) {
            XCTAssert("\($0)".contains("not among them"), "\($0)")
        }
        let broken = Tool(name: "f", description: "", parameters: "{")
        XCTAssertThrowsError(try Self.tiny.chat([.user("x")], tools: [broken]))
    }

    func testSessions() async throws {
        let options = Options(maxTokens: 4, temperature: 0)
        let session = try Self.smollm2.session()
        try session.append("The capital of France is")
        let first = try session.decode(options)
        var text = ""
        let more = try session.generate(options) { text += $0; return true }
        let whole = try await Self.smollm2.generate("The capital of France is", Options(maxTokens: 8, temperature: 0))
        XCTAssertEqual(first + more.tokens, whole.tokens)
        XCTAssertEqual(text, more.text)
        XCTAssertEqual(more.finish, .length)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("session-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try session.save(path)
        try session.rewind(to: 5)
        XCTAssertEqual(try session.decode(options), first)
        let other = try Self.smollm2.session()
        try other.load(path)
        XCTAssertEqual(try other.tokens.suffix(8), ArraySlice(whole.tokens))
        try session.rewind(to: 5)
        let logits = try session.logits()
        XCTAssertEqual(UInt32(logits.indices.max { logits[$0] < logits[$1] }!), first[0])
        // A callback ends it, and a cancel ends what comes next.
        XCTAssertEqual(try session.generate(Options(maxTokens: 50, temperature: 0)) { _ in false }.finish, .cancelled)
        session.cancel()
        XCTAssertEqual(try session.generate(Options(maxTokens: 50, temperature: 0)).finish, .cancelled)
        XCTAssertThrowsError(try session.rewind(to: 100_000))
        XCTAssertThrowsError(try session.append(tokens: [4_000_000]))
        XCTAssertThrowsError(try session.load("/no/such/session"))
    }

    func testVectors() throws {
        let model = try Model(Self.path("AKUNU_TINY_BERT"))
        let embedder = try Embedder(model)
        let vectors = try embedder.embed(["one text", "another", "one text"])
        XCTAssertEqual(vectors.map(\.count), [embedder.dimensions, embedder.dimensions, embedder.dimensions])
        XCTAssertEqual(vectors[0], vectors[2])
        XCTAssertNotEqual(vectors[0], vectors[1])
        XCTAssertEqual(vectors[0].map { $0 * $0 }.reduce(0, +), 1, accuracy: 1e-4)
        XCTAssertEqual(try embedder.embed([]), [])
        XCTAssertThrowsError(try Embedder(Self.tiny)) { XCTAssert("\($0)".contains("encoder"), "\($0)") }
        XCTAssertThrowsError(try model.stream("x"))
        XCTAssertThrowsError(try Embedder(model, prompt: "no such prompt"))
    }

    func testSpeech() throws {
        let model = try Model(Self.path("AKUNU_TINY_WHISPER"))
        let transcriber = try Transcriber(model, temperatures: [0])
        let tone = try Self.path("AKUNU_AUDIO") + "/tone.flac"
        var seen: [Segment] = []
        let whole = try transcriber.transcribe(file: tone) { seen.append($0); return true }
        XCTAssertEqual(seen, whole.segments)
        XCTAssertGreaterThan(whole.seconds, 0)
        XCTAssertFalse(whole.cancelled)
        let timed = try Transcriber(model, temperatures: [0], wordTimestamps: true).transcribe(file: tone)
        XCTAssertEqual(timed.text, whole.text)
        XCTAssert(whole.segments.allSatisfy { $0.words.isEmpty })
        XCTAssert(timed.segments.contains { !$0.words.isEmpty })
        for s in timed.segments {
            XCTAssertEqual(s.words.map(\.text).joined(), s.text)
            XCTAssert(s.words.allSatisfy { s.start <= $0.start && $0.start <= $0.end && $0.end <= s.end }, "\(s)")
            XCTAssert(s.words.allSatisfy { $0.probability > 0 && $0.probability <= 1 }, "\(s)")
        }
        var m4a = Data()
        for kind in ["flac", "mp3", "ogg", "m4a"] {
            let path = try Self.path("AKUNU_AUDIO") + "/tone." + kind
            m4a = try Data(contentsOf: URL(fileURLWithPath: path))
            let heard = try transcriber.transcribe(file: path)
            XCTAssertEqual(try transcriber.transcribe(m4a), heard, kind)
            XCTAssertFalse(heard.damaged, kind)
        }
        XCTAssertThrowsError(try transcriber.transcribe(file: "/no/such.wav"))
        // The index of an M4A file stands at its end.
        for contents in [Data("no audio".utf8), Data(), m4a.prefix(8), m4a.prefix(m4a.count / 2)] {
            XCTAssertThrowsError(try transcriber.transcribe(contents)) { XCTAssert("\($0)".contains("in memory"), "\($0)") }
        }
        XCTAssertThrowsError(try Transcriber(model, language: "klingon"))
        XCTAssertThrowsError(try Transcriber(model, temperatures: [-1]))
        XCTAssertThrowsError(try Transcriber(model, batch: 129)) { XCTAssert("\($0)".contains("128"), "\($0)") }
        let pieces = try [1, 3].map { try Transcriber(model, temperatures: [0], batch: $0).transcribe(file: tone) }
        XCTAssertEqual(pieces[0], pieces[1])
        XCTAssertFalse(pieces[0].segments.isEmpty)
        XCTAssertThrowsError(try Transcriber(Self.tiny)) { XCTAssert("\($0)".contains("speech"), "\($0)") }
    }

    func testManyTasks() async throws {
        let model = try Model(Self.path("AKUNU_TINY"), context: 1024, deterministic: true)
        let options = Options(maxTokens: 20, temperature: 1, seed: 4)
        let want = try await model.generate("once upon", options).tokens
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for i in 0 ..< 200 {
                group.addTask {
                    if i % 2 == 0 { return try await model.generate("once upon", options).tokens == want }
                    // Left in the middle, or cancelled there.
                    let answer = try model.stream("once upon", Options(maxTokens: 900, temperature: 1))
                    for try await _ in answer {
                        if i % 4 == 1 { return true }
                        answer.cancel()
                    }
                    return true
                }
            }
            for try await right in group { XCTAssert(right) }
        }
    }
}
