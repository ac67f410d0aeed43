import CAkunu
import Foundation

/// How to generate. What is `nil` is as the model's author recommends.
public struct Options: Sendable {
    /// The most tokens to draw.
    public var maxTokens: UInt32?
    /// Softmax temperature; 0 takes the likeliest token.
    public var temperature: Float?
    public var topK: UInt32?
    public var topP: Float?
    public var minP: Float?
    public var typicalP: Float?
    public var repeatPenalty: Float?
    public var presencePenalty: Float?
    public var frequencyPenalty: Float?
    /// Log-probabilities of drawn tokens, with so many of the likeliest beside each, at most 20.
    public var logprobs: Int32?
    /// The same seed gives the same text.
    public var seed: UInt64
    /// Strings that end the text and are not part of it.
    public var stop: [String]

    public init(
        maxTokens: UInt32? = nil, temperature: Float? = nil, topK: UInt32? = nil, topP: Float? = nil,
        minP: Float? = nil, typicalP: Float? = nil, repeatPenalty: Float? = nil, presencePenalty: Float? = nil,
        frequencyPenalty: Float? = nil, logprobs: Int32? = nil, seed: UInt64 = .random(in: 0 ..< 1 << 48),
        stop: [String] = []
    ) {
        self.maxTokens = maxTokens
        self.temperature = temperature
        self.topK = topK
        self.topP = topP
        self.minP = minP
        self.typicalP = typicalP
        self.repeatPenalty = repeatPenalty
        self.presencePenalty = presencePenalty
        self.frequencyPenalty = frequencyPenalty
        self.logprobs = logprobs
        self.seed = seed
        self.stop = stop
    }
}

/// What an answer must follow.
public enum Grammar: Sendable {
    /// A JSON schema, as text.
    case jsonSchema(String)
    /// A regular expression that the whole text matches.
    case regex(String)
    /// llama.cpp's GBNF.
    case gbnf(String)
}

/// A loaded model. Any number of threads and tasks may use it at once; their requests run together.
///
/// ```swift
/// let model = try Model("smollm2")
/// print(try await model.generate("The capital of France is", Options(maxTokens: 8, temperature: 0)).text)
/// ```
public final class Model: @unchecked Sendable {
    // Handles are numbers that any thread may use.
    let model: OpaquePointer
    private let deterministic: Bool
    private let lock = NSLock()
    private var begun: OpaquePointer?

    /// Loads a model: a GGUF file, a directory of safetensors files, an alias, or `hf:owner/repo[:file]`. Blocks while it loads.
    /// `deterministic` makes an answer independent of what else runs; a single one is slower then.
    public init(_ name: String, context: UInt32 = 0, device: String = "auto", deterministic: Bool = false) throws {
        var options = akunu_load_options()
        try check(akunu_load_options_init(&options, MemoryLayout<akunu_load_options>.size))
        options.context = context
        model = try device.withCString { device in
            options.device = device
            return try made { akunu_model_load(name, &options, $0) }
        }
        self.deterministic = deterministic
    }

    deinit {
        akunu_engine_free(begun)
        akunu_model_free(model)
    }

    /// The engine, which begins with the first request: encoders and models of speech have none.
    private func engine() throws -> OpaquePointer {
        try lock.withLock {
            if let begun { return begun }
            var options = akunu_engine_options()
            try check(akunu_engine_options_init(&options, MemoryLayout<akunu_engine_options>.size))
            options.deterministic = deterministic ? 1 : 0
            let made = try made { akunu_engine_new(model, &options, $0) }
            begun = made
            return made
        }
    }

    /// The most tokens of a sequence.
    public var context: UInt32 { info.context }

    /// The architecture, `llama`.
    public var architecture: String { String(cString: info.architecture) }

    private var info: akunu_model_info {
        var info = akunu_model_info()
        info.size = MemoryLayout<akunu_model_info>.size
        akunu_model_get_info(model, &info)
        return info
    }

    /// Goes on from a text, piece by piece. Leaving the loop, or cancelling its task, ends the request.
    public func stream(_ text: String, _ options: Options = Options(), grammar: Grammar? = nil) throws -> Answer {
        let engine = try engine()
        return try submit(options, grammar) { akunu_engine_submit_text(engine, text, text.utf8.count, $0, $1) }
    }

    /// Goes on from tokens, piece by piece.
    public func stream(tokens: [UInt32], _ options: Options = Options(), grammar: Grammar? = nil) throws -> Answer {
        let engine = try engine()
        return try submit(options, grammar) { akunu_engine_submit(engine, tokens, tokens.count, $0, $1) }
    }

    /// Answers a conversation, piece by piece. What `tools` are to be called comes as pieces, and is in the whole.
    public func chat(
        _ messages: [Message], _ options: Options = Options(), grammar: Grammar? = nil, tools: [Tool] = [],
        choice: ToolChoice = .auto
    ) throws -> Answer {
        let engine = try engine()
        let json = String(decoding: try JSONEncoder().encode(messages), as: UTF8.self)
        let tools = tools.isEmpty ? nil : try Tool.json(tools)
        return try submit(options, grammar) {
            akunu_engine_submit_chat(engine, json, tools, choice.word, $0, $1)
        }
    }

    /// A sequence with a KV cache of its own, to be driven token by token.
    public func session(draftTokens: UInt32 = 0) throws -> Session { try Session(self, draftTokens) }

    /// Goes on from a text, and gives the whole.
    public func generate(
        _ text: String, _ options: Options = Options(), grammar: Grammar? = nil
    ) async throws -> Generation {
        try await stream(text, options, grammar: grammar).result()
    }

    /// Answers with a value whose form a JSON schema gives.
    public func generate<T: Decodable>(
        _ text: String, as type: T.Type, schema: String, _ options: Options = Options()
    ) async throws -> T {
        let whole = try await generate(text, options, grammar: .jsonSchema(schema))
        return try JSONDecoder().decode(type, from: Data(whole.text.utf8))
    }

    private func submit(
        _ given: Options, _ grammar: Grammar?,
        _ call: (UnsafePointer<akunu_generate_options>, UnsafeMutablePointer<OpaquePointer?>) -> akunu_status
    ) throws -> Answer {
        try with(given, grammar) { options in Answer(try made { call(options, $0) }) }
    }

    /// Calls with options as C has them, which are there until the call has returned.
    func with<R>(
        _ given: Options, _ grammar: Grammar?, _ call: (UnsafePointer<akunu_generate_options>) throws -> R
    ) throws -> R {
        var sampling = akunu_sampling()
        try check(akunu_sampling_init(&sampling, MemoryLayout<akunu_sampling>.size, model))
        var options = akunu_generate_options()
        try check(akunu_generate_options_init(&options, MemoryLayout<akunu_generate_options>.size))
        options.max_tokens = given.maxTokens ?? 0
        sampling.temperature = given.temperature ?? sampling.temperature
        sampling.top_k = given.topK ?? sampling.top_k
        sampling.top_p = given.topP ?? sampling.top_p
        sampling.min_p = given.minP ?? sampling.min_p
        sampling.typical_p = given.typicalP ?? sampling.typical_p
        sampling.presence_penalty = given.presencePenalty ?? sampling.presence_penalty
        sampling.frequency_penalty = given.frequencyPenalty ?? sampling.frequency_penalty
        sampling.logprobs = given.logprobs ?? -1
        sampling.repeat_penalty = given.repeatPenalty ?? sampling.repeat_penalty
        sampling.seed = given.seed
        let compiled = try grammar.map(compile)
        defer { akunu_grammar_free(compiled) }
        sampling.grammar = compiled
        // C strings that live until the call has returned.
        let stop = given.stop.map { strdup($0) }
        defer { stop.forEach { free($0) } }
        let pointers: [UnsafePointer<CChar>?] = stop.map { UnsafePointer($0) }
        return try pointers.withUnsafeBufferPointer { stop in
            options.stop = stop.baseAddress
            options.stop_count = stop.count
            return try withUnsafePointer(to: sampling) { sampling in
                options.sampling = sampling
                return try withUnsafePointer(to: options) { try call($0) }
            }
        }
    }

    private func compile(_ grammar: Grammar) throws -> OpaquePointer {
        let (kind, text): (Int32, String) = switch grammar {
        case .jsonSchema(let text): (AKUNU_GRAMMAR_JSON_SCHEMA, text)
        case .regex(let text): (AKUNU_GRAMMAR_REGEX, text)
        case .gbnf(let text): (AKUNU_GRAMMAR_GBNF, text)
        }
        return try made { akunu_grammar_new(model, UInt32(kind), text, text.utf8.count, $0) }
    }
}
