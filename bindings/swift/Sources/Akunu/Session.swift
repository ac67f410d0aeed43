import CAkunu
import Foundation

/// One sequence: tokens and a KV cache, driven by its caller. One call at a time, but for ``cancel()``.
public final class Session: @unchecked Sendable {
    private let handle: OpaquePointer
    private let model: Model

    init(_ model: Model, _ draftTokens: UInt32) throws {
        self.model = model
        var options = akunu_session_options()
        try check(akunu_session_options_init(&options, MemoryLayout<akunu_session_options>.size))
        options.draft_tokens = draftTokens
        handle = try made { akunu_session_new(model.model, &options, $0) }
    }

    deinit {
        akunu_session_free(handle)
    }

    /// Appends a text. Nothing runs before the next ``generate(_:grammar:onText:)`` or ``decode(_:grammar:)``.
    public func append(_ text: String) throws {
        try check(akunu_session_append_text(handle, text, text.utf8.count))
    }

    /// Appends tokens.
    public func append(tokens: [UInt32]) throws {
        try check(akunu_session_append(handle, tokens, tokens.count))
    }

    /// All tokens.
    public var tokens: [UInt32] {
        get throws { try filled { akunu_session_tokens(handle, $0, $1, $2) } }
    }

    /// Logits of what comes next, one of each token of the vocabulary.
    public func logits() throws -> [Float] {
        try filled { akunu_session_logits(handle, $0, $1, $2) }
    }

    /// Draws what comes after the tokens, and calls with pieces of text that are final; `false` ends it. Blocks this thread.
    @discardableResult
    public func generate(
        _ options: Options = Options(), grammar: Grammar? = nil, onText: ((String) -> Bool)? = nil
    ) throws -> Generation {
        final class Seen {
            var whole = Generation()
            let onText: ((String) -> Bool)?
            init(_ onText: ((String) -> Bool)?) { self.onText = onText }
        }
        let seen = Seen(onText)
        let before = try tokens.count
        var result = akunu_generation()
        result.size = MemoryLayout<akunu_generation>.size
        try withExtendedLifetime(seen) {
            let data = Unmanaged.passUnretained(seen).toOpaque()
            try model.with(options, grammar) { options in
                try check(akunu_session_generate(handle, options, { token, data in
                    let seen = Unmanaged<Seen>.fromOpaque(data!).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: token!.pointee.text, count: token!.pointee.text_length)
                    let text = String(decoding: bytes, as: UTF8.self)
                    seen.whole.text += text
                    return text.isEmpty || seen.onText?(text) ?? true ? 0 : 1
                }, data, &result))
            }
        }
        seen.whole.tokens = try Array(tokens.dropFirst(before))
        seen.whole.finish = Finish(rawValue: result.finish) ?? .cancelled
        seen.whole.promptTokens = result.prompt_tokens
        return seen.whole
    }

    /// Draws tokens without making text of them, so without stop strings.
    public func decode(_ options: Options, grammar: Grammar? = nil) throws -> [UInt32] {
        let most = Int(options.maxTokens ?? model.context)
        var drawn = [UInt32](repeating: 0, count: most)
        var result = akunu_generation()
        result.size = MemoryLayout<akunu_generation>.size
        try model.with(options, grammar) { options in
            try check(akunu_session_decode(handle, options, &drawn, most, &result))
        }
        return Array(drawn.prefix(Int(result.tokens)))
    }

    /// Takes back all tokens from a position on.
    public func rewind(to position: UInt32) throws { try check(akunu_session_rewind(handle, position)) }

    /// Saves tokens and KV cache.
    public func save(_ path: String) throws { try check(akunu_session_save(handle, path)) }

    /// Goes on from what was saved with the same model.
    public func load(_ path: String) throws { try check(akunu_session_load(handle, path)) }

    /// Ends what runs, or what runs next where nothing does. From any thread.
    public func cancel() { akunu_session_cancel(handle) }
}

/// A list whose length the call tells first.
private func filled<T>(
    _ call: (UnsafeMutablePointer<T>?, Int, UnsafeMutablePointer<Int>) -> akunu_status
) throws -> [T] where T: ExpressibleByIntegerLiteral {
    var count = 0
    let status = call(nil, 0, &count)
    if status == AKUNU_OK { return [] }
    if status != AKUNU_ERROR_BUFFER { throw AkunuError.last(status) }
    var out = [T](repeating: 0, count: count)
    try check(call(&out, count, &count))
    return out
}
