import Foundation
import XCTest

@testable import Akunu

/// The contract suite through Swift: results are those of Rust, which the folder `AKUNU_CONTRACT_OUT` has beside the cases.
final class ContractTests: XCTestCase {
    private typealias Object = [String: Any]

    func testResultsAreThoseOfRust() async throws {
        let environment = ProcessInfo.processInfo.environment
        let folder = URL(fileURLWithPath: try XCTUnwrap(environment["AKUNU_CONTRACT_OUT"], "set AKUNU_CONTRACT_OUT"))
        func read(_ name: String) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appendingPathComponent(name)))
        }
        let cases = try XCTUnwrap(read("cases.json") as? [Object])
        let rust = try XCTUnwrap(read("results.json") as? [String: Object])
        let models = [
            "smollm2": try Model(XCTUnwrap(environment["AKUNU_MODEL"]), context: 1024, deterministic: true),
            "tiny": try Model(folder.appendingPathComponent("tiny.gguf").path, context: 1024, deterministic: true),
            "whisper": try Model(XCTUnwrap(environment["AKUNU_TINY_WHISPER"], "set AKUNU_TINY_WHISPER")),
        ]
        let audio = try XCTUnwrap(environment["AKUNU_AUDIO"], "set AKUNU_AUDIO") + "/"
        XCTAssertGreaterThan(cases.count, 40)
        for entry in cases {
            let name = try XCTUnwrap(entry["name"] as? String)
            let model = try XCTUnwrap(models[entry["model"] as? String ?? ""])
            let want = try XCTUnwrap(rust[name])
            for _ in 0 ..< (entry["threads"] as? Int ?? 1) {
                let got = try entry["audio"] == nil ? await result(model, entry) : heard(model, entry, audio)
                XCTAssertEqual(try text(got), try text(want), name)
            }
        }
    }

    /// As JSON, whose objects and lists compare alike on every system.
    private func text(_ object: Object) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    private func heard(_ model: Model, _ entry: Object, _ folder: String) throws -> Object {
        do {
            let transcriber = try Transcriber(
                model, language: entry["language"] as? String, translate: entry["translate"] as? Bool ?? false,
                initialPrompt: entry["initial_prompt"] as? String,
                temperatures: (entry["temperatures"] as? [NSNumber] ?? []).map(\.floatValue),
                beams: (entry["beams"] as? NSNumber)?.uint32Value ?? 1, seed: (entry["seed"] as? NSNumber)?.uint64Value ?? 0,
                wordTimestamps: entry["word_timestamps"] as? Bool ?? false,
                batch: (entry["batch"] as? NSNumber)?.uint32Value ?? 0)
            let path = folder + (entry["audio"] as? String ?? "")
            let got: Transcript
            if entry["in_memory"] != nil || entry["first_bytes"] != nil {
                let contents = try Data(contentsOf: URL(fileURLWithPath: path))
                got = try transcriber.transcribe(contents.prefix(entry["first_bytes"] as? Int ?? contents.count))
            } else {
                got = try transcriber.transcribe(file: path)
            }
            return [
                "text": got.text, "language": got.language, "seconds": String(format: "%.3f", got.seconds),
                "damaged": got.damaged, "segments": got.segments.map(shown),
            ]
        } catch let error as AkunuError {
            let message = error.message.replacingOccurrences(of: folder, with: "")
            return ["error": error.code == 1 ? "argument" : "grammar", "message": message]
        }
    }

    private func shown(_ s: Segment) -> Object {
        func four(_ value: Float) -> String { String(format: "%.4f", Double(value)) }
        func times(_ start: Double, _ end: Double, _ text: String) -> Object {
            ["start": String(format: "%.3f", start), "end": String(format: "%.3f", end), "text": text]
        }
        let more: Object = [
            "temperature": four(s.temperature), "logprob": four(s.meanLogProbability), "compression": four(s.compressionRatio),
            "no_speech": four(s.noSpeechProbability), "tokens": s.tokens.map { Int($0) },
            "words": s.words.map { w in times(w.start, w.end, w.text).merging(["probability": four(w.probability)]) { $1 } },
        ]
        return times(s.start, s.end, s.text).merging(more) { $1 }
    }

    private func result(_ model: Model, _ entry: Object) async throws -> Object {
        func float(_ name: String) -> Float? { (entry[name] as? NSNumber)?.floatValue }
        let cancel = entry["cancel_after"] as? Int
        do {
            let options = Options(
                maxTokens: (entry["max_tokens"] as? NSNumber)?.uint32Value, temperature: float("temperature"),
                topK: (entry["top_k"] as? NSNumber)?.uint32Value, topP: float("top_p"), minP: float("min_p"),
                typicalP: float("typical_p"), repeatPenalty: float("repeat_penalty"),
                presencePenalty: float("presence_penalty"), frequencyPenalty: float("frequency_penalty"),
                logprobs: (entry["logprobs"] as? NSNumber)?.int32Value,
                seed: (entry["seed"] as? NSNumber)?.uint64Value ?? 0, stop: entry["stop"] as? [String] ?? [])
            let answer = try submit(model, entry, options)
            if let cancel {
                for try await _ in answer where answer.sofar.tokens.count >= cancel { answer.cancel() }
            }
            let g = try await answer.result()
            let words: [Finish: String] = [.eos: "eos", .length: "length", .stopString: "stop", .cancelled: "cancelled"]
            var result: Object = [
                "tokens": g.tokens.prefix(cancel ?? Int.max).map { Int($0) }, "finish": words[g.finish] ?? "other",
                "prompt_tokens": Int(g.promptTokens),
            ]
            if cancel == nil { result["text"] = g.text }
            if !g.logprobs.isEmpty {
                result["logprobs"] = g.logprobs.map { p in
                    let top = p.top.map { String(format: ",%u:%.4f", $0.token, Double($0.logprob)) }
                    return String(format: "%.4f", Double(p.drawn.logprob)) + top.joined()
                }
            }
            return result
        } catch let error as AkunuError {
            return ["error": error.code == 1 ? "argument" : "grammar", "message": error.message]
        }
    }

    private func submit(_ model: Model, _ entry: Object, _ options: Options) throws -> Answer {
        var grammar: Grammar?
        if let schema = entry["schema"] {
            let data = try JSONSerialization.data(withJSONObject: schema, options: [.withoutEscapingSlashes, .sortedKeys])
            grammar = .jsonSchema(String(decoding: data, as: UTF8.self))
        } else if let regex = entry["regex"] as? String {
            grammar = .regex(regex)
        }
        if let messages = entry["messages"] as? [[String: String]] {
            let all = messages.map { Message(role: $0["role"] ?? "", content: $0["content"] ?? "") }
            return try model.chat(all, options, grammar: grammar)
        }
        if let tokens = entry["tokens"] as? [NSNumber] {
            return try model.stream(tokens: tokens.map(\.uint32Value), options, grammar: grammar)
        }
        return try model.stream(entry["prompt"] as? String ?? "", options, grammar: grammar)
    }
}
