import CAkunu
import Foundation

/// Makes vectors of texts with an encoder, as BERT and MiniLM are. Any thread may use it; one does at a time.
public final class Embedder: @unchecked Sendable {
    private let handle: OpaquePointer
    /// Values of a vector.
    public let dimensions: Int

    /// `dimensions` cuts vectors, for models that were trained for that. `truncate` cuts texts that are longer than the model reads, which are an
    /// error otherwise. `prompt` is the name of the model's prompt that comes before every text.
    public init(_ model: Model, dimensions: UInt32 = 0, truncate: Bool = false, prompt: String? = nil) throws {
        var options = akunu_embedder_options()
        try check(akunu_embedder_options_init(&options, MemoryLayout<akunu_embedder_options>.size))
        options.dimensions = dimensions
        options.truncate = truncate ? 1 : 0
        let copy = prompt.map { strdup($0) }
        defer { free(copy ?? nil) }
        options.prompt = copy.map { UnsafePointer($0!) }
        let handle = try made { akunu_embedder_new(model.model, &options, $0) }
        var width: UInt32 = 0
        do {
            try check(akunu_embedder_dimensions(handle, &width))
        } catch {
            akunu_embedder_free(handle)
            throw error
        }
        self.handle = handle
        self.dimensions = Int(width)
    }

    deinit {
        akunu_embedder_free(handle)
    }

    /// A vector of each text. Blocks this thread.
    public func embed(_ texts: [String]) throws -> [[Float]] {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let pointers: [UnsafePointer<CChar>?] = copies.map { UnsafePointer($0) }
        var values = [Float](repeating: 0, count: texts.count * dimensions)
        try check(akunu_embedder_embed(handle, pointers, pointers.count, &values, values.count))
        return (0 ..< texts.count).map { Array(values[$0 * dimensions ..< ($0 + 1) * dimensions]) }
    }
}
