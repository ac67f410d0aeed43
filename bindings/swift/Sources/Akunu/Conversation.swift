import Foundation

/// A call of a tool that the model asks for.
public struct ToolCall: Sendable, Equatable {
    /// The tool.
    public var name: String
    /// A JSON object, which follows the tool's parameters where the tool had to be called.
    public var arguments: String

    public init(name: String, arguments: String) {
        self.name = name
        self.arguments = arguments
    }

    /// The arguments as a value.
    public func decoded<T: Decodable>(as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: Data(arguments.utf8))
    }
}

/// A function that the model may ask to be called.
public struct Tool: Sendable, Equatable {
    public var name: String
    /// What it does, for the model.
    public var description: String
    /// A JSON schema of its arguments, an object.
    public var parameters: String

    public init(name: String, description: String, parameters: String) {
        self.name = name
        self.description = description
        self.parameters = parameters
    }

    static func json(_ tools: [Tool]) throws -> String {
        // The schema stays as it is written: keys keep their order, which answers follow.
        func quoted(_ s: String) throws -> String {
            String(decoding: try JSONEncoder().encode([s]).dropFirst().dropLast(), as: UTF8.self)
        }
        let all = try tools.map { tool in
            let (name, description) = (try quoted(tool.name), try quoted(tool.description))
            return """
                {"type": "function", "function": {"name": \(name), "description": \(description), "parameters": \(tool.parameters)}}
                """
        }
        return "[" + all.joined(separator: ", ") + "]"
    }
}

/// Whether tools are called.
public enum ToolChoice: Sendable, Equatable {
    /// As the model likes.
    case auto
    /// One must be called.
    case required
    /// This one must be called.
    case named(String)

    var word: String {
        switch self {
        case .auto: "auto"
        case .required: "required"
        case .named(let name): name
        }
    }
}

/// One message of a conversation.
public struct Message: Encodable, Sendable, Equatable {
    /// `system`, `user`, `assistant` or `tool`.
    public var role: String
    /// What was said, or what a tool has given.
    public var content: String
    /// Of a tool's message, the tool.
    public var name: String?
    /// Tools that the assistant has asked to be called.
    public var toolCalls: [ToolCall]

    public init(role: String, content: String, name: String? = nil, toolCalls: [ToolCall] = []) {
        self.role = role
        self.content = content
        self.name = name
        self.toolCalls = toolCalls
    }

    /// A message of the user.
    public static func user(_ content: String) -> Message { Message(role: "user", content: content) }

    /// What a tool has given.
    public static func tool(_ name: String, _ content: String) -> Message {
        Message(role: "tool", content: content, name: name)
    }

    private enum Keys: String, CodingKey { case role, content, name, tool_calls }

    /// As OpenAI has it.
    public func encode(to encoder: Encoder) throws {
        struct Function: Encodable { let name: String, arguments: String }
        struct Call: Encodable { var type = "function", function: Function }
        var out = encoder.container(keyedBy: Keys.self)
        try out.encode(role, forKey: .role)
        try out.encode(content, forKey: .content)
        try out.encodeIfPresent(name, forKey: .name)
        if !toolCalls.isEmpty {
            try out.encode(toolCalls.map { Call(function: Function(name: $0.name, arguments: $0.arguments)) }, forKey: .tool_calls)
        }
    }
}
