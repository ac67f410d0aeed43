import CAkunu

/// What can go wrong. The message says what, where and what to do next.
public struct AkunuError: Error, CustomStringConvertible, Equatable, Sendable {
    /// The kind, one of `akunu.h`'s `AKUNU_ERROR_*`.
    public let code: Int32
    /// One line for people.
    public let message: String

    public var description: String { message }

    /// The last error of this thread.
    static func last(_ code: Int32) -> AkunuError {
        AkunuError(code: code, message: String(cString: akunu_last_error()))
    }
}

/// Throws unless a call has worked.
func check(_ status: akunu_status) throws {
    if status != AKUNU_OK { throw AkunuError.last(status) }
}

/// Takes a handle that a call writes.
func made(_ call: (UnsafeMutablePointer<OpaquePointer?>) -> akunu_status) throws -> OpaquePointer {
    var handle: OpaquePointer?
    try check(call(&handle))
    guard let handle else { throw AkunuError(code: AKUNU_ERROR_PANIC, message: "a handle is missing") }
    return handle
}
