import CAkunu
import Foundation

/// A word and when it is spoken.
public struct Word: Sendable, Equatable {
    /// Where it begins and ends, in seconds.
    public var start: Double, end: Double
    /// The word with the marks around it, as a rule with a space before it; the words of a segment joined are its text.
    public var text: String
    /// How sure the model was: the mean of the probabilities of its tokens as they were drawn. Marks around the word do not count.
    public var probability: Float
}

/// A stretch of speech and its text.
public struct Segment: Sendable, Equatable {
    /// Where it begins and ends, in seconds.
    public var start: Double, end: Double
    /// Its text, as a rule with a space before it.
    public var text: String
    /// Its tokens, those of time among them.
    public var tokens: [UInt32]
    /// The temperature that its window of 30 seconds was decoded at.
    public var temperature: Float
    /// Mean log-probability of the window's tokens.
    public var meanLogProbability: Float
    /// How much gzip shrinks the window's text.
    public var compressionRatio: Float
    /// Probability that nobody speaks in the window.
    public var noSpeechProbability: Float
    /// Its words, where the ``Transcriber`` was made with `wordTimestamps`; it then begins and ends with them.
    public var words: [Word] = []
}

/// What was said.
public struct Transcript: Sendable, Equatable {
    /// The language, as two or three letters; empty where nothing was heard.
    public var language = ""
    /// Seconds of audio that were heard.
    public var seconds = 0.0
    public var segments: [Segment] = []
    /// It ended before the audio.
    public var cancelled = false
    /// Not all of the audio could be decoded.
    public var damaged = false

    /// The texts of all segments.
    public var text: String { segments.map(\.text).joined() }
}

/// Makes text of audio with a model of speech, as Whisper is. One call at a time, but for ``cancel()``.
public final class Transcriber: @unchecked Sendable {
    private let handle: OpaquePointer

    /// `language` is two or three letters, `nil` asks the model. `translate` makes an English text, whatever is spoken. `temperatures` are tried in
    /// turn until a window of 30 seconds went well; an empty list is the usual one. `wordTimestamps` says of each word when it is spoken
    /// (``Segment/words``); the text stays as it is. `batch` is how many pieces of a file are heard at once: it is cut in pauses first, into pieces
    /// of 30 seconds at most, of which each stands for itself; 0 hears window after window.
    public init(
        _ model: Model, language: String? = nil, translate: Bool = false, initialPrompt: String? = nil,
        previousText: Bool = true, temperatures: [Float] = [], beams: UInt32 = 1, seed: UInt64 = 0,
        wordTimestamps: Bool = false, batch: UInt32 = 0
    ) throws {
        var options = akunu_transcribe_options()
        try check(akunu_transcribe_options_init(&options, MemoryLayout<akunu_transcribe_options>.size))
        options.translate = translate ? 1 : 0
        options.no_context = previousText ? 0 : 1
        options.beams = beams
        options.seed = seed
        options.word_timestamps = wordTimestamps ? 1 : 0
        options.batch = batch
        let copies = [language, initialPrompt].map { $0.map { strdup($0)! } }
        defer { copies.forEach { free($0) } }
        options.language = copies[0].map { UnsafePointer($0) }
        options.initial_prompt = copies[1].map { UnsafePointer($0) }
        handle = try temperatures.withUnsafeBufferPointer { list in
            options.temperatures = list.baseAddress
            options.temperature_count = list.count
            return try made { akunu_transcriber_new(model.model, &options, $0) }
        }
    }

    deinit {
        akunu_transcriber_free(handle)
    }

    /// Transcribes a file: WAV, FLAC, MP3, Ogg Vorbis, M4A. Calls with each segment as it is complete; `false` ends it. Blocks this thread.
    public func transcribe(file: String, onSegment: ((Segment) -> Bool)? = nil) throws -> Transcript {
        try run(onSegment) { akunu_transcriber_file(handle, file, $0, $1, $2) }
    }

    /// Transcribes what such a file contains.
    public func transcribe(_ data: Data, onSegment: ((Segment) -> Bool)? = nil) throws -> Transcript {
        try data.withUnsafeBytes { bytes in
            try run(onSegment) { akunu_transcriber_bytes(handle, bytes.baseAddress, bytes.count, $0, $1, $2) }
        }
    }

    /// Ends what runs, or what runs next where nothing does, after the window under way. From any thread.
    public func cancel() { akunu_transcriber_cancel(handle) }

    private final class Seen {
        var segments: [Segment] = []
        let onSegment: ((Segment) -> Bool)?
        init(_ onSegment: ((Segment) -> Bool)?) { self.onSegment = onSegment }
    }

    private func run(
        _ onSegment: ((Segment) -> Bool)?,
        _ call: (akunu_segment_fn?, UnsafeMutableRawPointer, UnsafeMutablePointer<akunu_transcript>) -> akunu_status
    ) throws -> Transcript {
        let seen = Seen(onSegment)
        var result = akunu_transcript()
        result.size = MemoryLayout<akunu_transcript>.size
        let take: akunu_segment_fn = { segment, data in
            let (seen, s) = (Unmanaged<Seen>.fromOpaque(data!).takeUnretainedValue(), segment!.pointee)
            let tokens = Array(UnsafeBufferPointer(start: s.tokens, count: s.token_count))
            let words = UnsafeBufferPointer(start: s.words, count: s.word_count).map { place in
                let w = place!.pointee
                return Word(start: w.start, end: w.end, text: string(w.text, w.text_length), probability: w.probability)
            }
            let one = Segment(
                start: s.start, end: s.end, text: string(s.text, s.text_length), tokens: tokens, temperature: s.temperature,
                meanLogProbability: s.avg_logprob, compressionRatio: s.compression_ratio, noSpeechProbability: s.no_speech_prob,
                words: words)
            seen.segments.append(one)
            return seen.onSegment?(one) ?? true ? 0 : 1
        }
        try withExtendedLifetime(seen) {
            try check(call(take, Unmanaged.passUnretained(seen).toOpaque(), &result))
        }
        let language = withUnsafeBytes(of: result.language) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return Transcript(
            language: language, seconds: result.seconds, segments: seen.segments, cancelled: result.cancelled != 0,
            damaged: result.damaged != 0)
    }
}

/// A text of the library's, which has no NUL at its end.
private func string(_ text: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
}
