import CAkunu
import Dispatch

/// A piece of an answer.
public enum Piece: Sendable, Equatable {
    /// Text of the answer: whole characters.
    case text(String)
    /// Thoughts before it, of a conversation.
    case thought(String)
    /// A tool is to be called.
    case call(ToolCall)
}

/// Why an answer ended.
public enum Finish: UInt32, Sendable {
    case eos = 1, length, stopString, cancelled, contextFull, notFinite, stuck
}

/// A token's log-probability: of the model's own logits, before all samplers.
public struct TokenLogprob: Sendable, Equatable {
    public var token: UInt32
    public var logprob: Float
}

/// A drawn token's, and those of the likeliest in its place, best first.
public struct Logprobs: Sendable, Equatable {
    public var drawn: TokenLogprob
    public var top: [TokenLogprob]
}

/// What was generated.
public struct Generation: Sendable, Equatable {
    /// The answer, without stop strings and thoughts.
    public var text = ""
    /// What the model thought before it answered.
    public var thoughts = ""
    /// Tools that are to be called.
    public var toolCalls: [ToolCall] = []
    /// All tokens, with those of a stop string and the end-of-sequence token.
    public var tokens: [UInt32] = []
    /// Of each token, where the options ask for it.
    public var logprobs: [Logprobs] = []
    /// Why it ended.
    public var finish = Finish.cancelled
    /// Tokens of the prompt.
    public var promptTokens: UInt32 = 0

    /// The answer as a message, to go on from.
    public var message: Message { Message(role: "assistant", content: text, toolCalls: toolCalls) }
}

/// The answer to one request: an asynchronous sequence of pieces. Dropping it cancels the request.
public struct Answer: AsyncSequence, Sendable {
    public typealias Element = Piece

    private let source: Source

    init(_ handle: OpaquePointer) {
        source = Source(handle)
    }

    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Ends the request after the step under way. What was drawn until then still comes.
    public func cancel() { source.cancel() }

    /// What has come so far. Not for use while another task reads.
    public var sofar: Generation { source.whole }

    /// Waits for the rest, and gives the whole.
    public func result() async throws -> Generation {
        for try await _ in self {}
        return source.whole
    }

    public struct Iterator: AsyncIteratorProtocol {
        let source: Source

        public mutating func next() async throws -> Piece? {
            try Task.checkCancellation()
            let source = source
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    // Waiting would hold up a thread of the tasks' own.
                    Source.queue.async { continuation.resume(with: Result { try source.next() }) }
                }
            } onCancel: {
                source.cancel()
            }
        }
    }
}

/// The handle, freed with the last that looks at it. One call of `next` at a time, as sequences are read.
final class Source: @unchecked Sendable {
    static let queue = DispatchQueue(label: "akunu", attributes: .concurrent)

    private let handle: OpaquePointer
    private(set) var whole = Generation()

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        akunu_answer_free(handle)
    }

    func cancel() { akunu_answer_cancel(handle) }

    func next() throws -> Piece? {
        var event = akunu_event()
        event.size = MemoryLayout<akunu_event>.size
        while true {
            let status = akunu_answer_next(handle, -1, &event)
            if status == AKUNU_DONE { return nil }
            try check(status)
            switch Int32(event.kind) {
            case AKUNU_EVENT_TOKEN:
                whole.tokens.append(event.token)
                if event.has_logprob != 0 { whole.logprobs.append(logprobs(event)) }
            case AKUNU_EVENT_TEXT:
                let text = string(event)
                whole.text += text
                return .text(text)
            case AKUNU_EVENT_THOUGHT:
                let text = string(event)
                whole.thoughts += text
                return .thought(text)
            case AKUNU_EVENT_CALL:
                let name = UnsafeRawBufferPointer(start: event.name, count: event.name_length)
                let call = ToolCall(name: String(decoding: name, as: UTF8.self), arguments: string(event))
                whole.toolCalls.append(call)
                return .call(call)
            case AKUNU_EVENT_END:
                whole.finish = Finish(rawValue: event.finish) ?? .cancelled
                whole.promptTokens = event.prompt_tokens
            default:
                break
            }
        }
    }

    private func logprobs(_ event: akunu_event) -> Logprobs {
        let top = (0 ..< Int(event.top_count)).map {
            TokenLogprob(token: event.top_tokens[$0], logprob: event.top_logprobs[$0])
        }
        return Logprobs(drawn: TokenLogprob(token: event.token, logprob: event.logprob), top: top)
    }

    private func string(_ event: akunu_event) -> String {
        let bytes = UnsafeRawBufferPointer(start: event.text, count: event.text_length)
        return String(decoding: bytes, as: UTF8.self)
    }
}
