"""A chat bot that can calculate: ``python chat_with_tool.py MODEL``. The model must have been trained to call tools (Qwen 3, Llama 3.1)."""

import sys
from typing import Any, Literal

import akunu


def calculate(a: float, operation: Literal["+", "-", "*", "/"], b: float) -> str:
    """Calculates with two numbers."""
    if operation == "/":
        return str(a / b) if b else "division by zero"
    return str({"+": a + b, "-": a - b, "*": a * b}[operation])


def answer(model: akunu.Model, messages: list[dict[str, Any]]) -> None:
    """Prints the answer as it comes; what the model wants calculated is, and the answer goes on."""
    while True:
        stream = model.chat_stream(messages, tools=[calculate], max_tokens=500)
        for piece in stream:
            print(piece, end="", flush=True)
        reply = stream.result()
        messages.append(reply.message)
        if not reply.tool_calls:
            print()
            return
        for call in reply.tool_calls:
            result = calculate(**call.arguments)
            print(f"[{call.name}({call.arguments}) = {result}]")
            messages.append({"role": "tool", "name": call.name, "content": result})


def main(name: str) -> None:
    messages: list[dict[str, Any]] = []
    with akunu.Model(name) as model:
        while True:
            try:
                messages.append({"role": "user", "content": input("> ")})
            except EOFError:
                return
            answer(model, messages)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
