"""Python's types as JSON schemas, and JSON as objects of them."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

Parse = Callable[[Any], Any]


def read(schema: Any) -> tuple[str, Parse]:
    """The text of a schema, and what makes an object of a JSON value that follows it.

    Takes a JSON schema (a mapping, or text), a dataclass, a pydantic model, an enum, a ``TypedDict``, or a type of the standard library's
    typing such as ``list[int]``.
    """
    if isinstance(schema, str):
        return schema, _same
    if isinstance(schema, Mapping):
        return json.dumps(schema), _same
    if isinstance(schema, type) and hasattr(schema, "model_json_schema") and hasattr(schema, "model_validate"):
        return json.dumps(schema.model_json_schema()), schema.model_validate
    definition, parse = _of(schema)
    return json.dumps(definition), parse


def function(f: Callable[..., Any]) -> dict[str, Any]:
    """A function as a tool: its name, its documentation, and its parameters by their types."""
    hints = typing.get_type_hints(f)
    properties, required = {}, []
    for name, parameter in inspect.signature(f).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(f"{f.__name__}(*{name}) cannot be a tool; give each parameter a name")
        if name not in hints:
            raise TypeError(f"{f.__name__}({name}) has no type; annotate it")
        properties[name] = _of(hints[name])[0]
        if parameter.default is parameter.empty:
            required.append(name)
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    tool = {"name": f.__name__, "description": inspect.getdoc(f) or "", "parameters": parameters}
    return {"type": "function", "function": tool}


def _same(value: Any) -> Any:
    return value


_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    type(None): {"type": "null"},
    Any: {},
}


def _of(kind: Any, within: tuple[Any, ...] = ()) -> tuple[dict[str, Any], Parse]:
    if kind in _SIMPLE:
        return dict(_SIMPLE[kind]), float if kind is float else _same
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"enum": list(args)}, _same
    if origin in (list, set, frozenset):
        item, parse = _of(args[0] if args else Any, within)
        return {"type": "array", "items": item}, lambda v: origin(parse(x) for x in v)
    if origin is tuple:
        return _tuple(args, within)
    if origin is dict:
        value, parse_value = _of(args[1] if args else Any, within)
        return (
            {"type": "object", "additionalProperties": value},
            lambda v: {k: parse_value(x) for k, x in v.items()},
        )
    if origin in (Union, types.UnionType):
        return _union(args, within)
    if kind is list or kind is dict:
        return {"type": "array" if kind is list else "object"}, _same
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [m.value for m in kind]}, kind
    if kind in within:
        raise TypeError(f"{kind.__name__} contains itself, which no schema here says; use pydantic, or write the schema")
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _fields(kind, within)
    if typing.is_typeddict(kind):
        return _typed_dict(kind, within)
    raise TypeError(f"{kind!r} has no JSON schema; use a dataclass, a pydantic model, or a JSON schema")


def _tuple(args: tuple[Any, ...], within: tuple[Any, ...]) -> tuple[dict[str, Any], Parse]:
    if len(args) == 2 and args[1] is Ellipsis:
        item, parse = _of(args[0], within)
        return {"type": "array", "items": item}, lambda v: tuple(parse(x) for x in v)
    both = [_of(a, within) for a in args]
    n = len(both)
    schema = {"type": "array", "prefixItems": [b[0] for b in both], "minItems": n, "maxItems": n, "items": False}
    return schema, lambda v: tuple(b[1](x) for b, x in zip(both, v, strict=True))


def _union(args: tuple[Any, ...], within: tuple[Any, ...]) -> tuple[dict[str, Any], Parse]:
    both = [_of(a, within) for a in args]
    rest = [b for a, b in zip(args, both, strict=True) if a is not type(None)]

    def parse(value: Any) -> Any:
        if value is None:
            return None
        error: Exception | None = None
        for _, one in rest:
            try:
                return one(value)
            except (TypeError, ValueError, KeyError, AttributeError) as e:
                error = e
        raise error or ValueError(f"{value!r} is none of the union")

    return {"anyOf": [b[0] for b in both]}, parse


def _fields(kind: type, within: tuple[Any, ...]) -> tuple[dict[str, Any], Parse]:
    hints = typing.get_type_hints(kind)
    fields = [f for f in dataclasses.fields(kind) if f.init]
    both = {f.name: _of(hints[f.name], (*within, kind)) for f in fields}
    # Every field is asked for, those with defaults too: a model leaves out what it may leave out.
    schema = _object({n: b[0] for n, b in both.items()}, list(both))

    def parse(value: Any) -> Any:
        return kind(**{n: b[1](value[n]) for n, b in both.items()})

    return schema, parse


def _typed_dict(kind: Any, within: tuple[Any, ...]) -> tuple[dict[str, Any], Parse]:
    both = {n: _of(t, (*within, kind)) for n, t in typing.get_type_hints(kind).items()}
    schema = _object({n: b[0] for n, b in both.items()}, sorted(kind.__required_keys__))
    return schema, lambda v: {n: both[n][1](x) for n, x in v.items()}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
