"""Answers that follow a type."""

import enum
import json
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import akunu
import pydantic
import pytest
from akunu import _schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Part:
    name: str
    colour: Colour


@dataclass
class Thing:
    title: str
    parts: list[Part]
    size: float
    kind: Literal["a", "b"]
    note: str | None
    at: tuple[int, int]


class Named(TypedDict, total=False):
    name: str


class City(pydantic.BaseModel):
    name: str = pydantic.Field(max_length=12)
    large: bool


VALUE = {
    "title": "t",
    "parts": [{"name": "p", "colour": "blue"}],
    "size": 1,
    "kind": "b",
    "note": None,
    "at": [1, 2],
}


def test_types_become_schemas_and_values_objects() -> None:
    text, parse = _schema.read(Thing)
    schema = json.loads(text)
    assert schema["required"] == ["title", "parts", "size", "kind", "note", "at"]
    assert schema["properties"]["parts"]["items"]["properties"]["colour"] == {"enum": ["red", "blue"]}
    thing = parse(VALUE)
    assert thing == Thing("t", [Part("p", Colour.BLUE)], 1.0, "b", None, (1, 2)) and type(thing.size) is float
    for kind, value, want in [
        (list[int], [1], [1]),
        (dict[str, float], {"a": 1}, {"a": 1.0}),
        (set[str], ["x"], {"x"}),
        (Part | int, {"name": "p", "colour": "red"}, Part("p", Colour.RED)),
        (Part | int, 5, 5),
        (Named, {"name": "n"}, {"name": "n"}),
        (Any, 5, 5),
    ]:
        assert _schema.read(kind)[1](value) == want
    for kind in (object, print, bytes):
        with pytest.raises(TypeError, match="no JSON schema"):
            _schema.read(kind)


def test_functions_become_tools() -> None:
    def f(a: int, b: list[str] | None = None) -> None:
        """Does f."""

    tool = _schema.function(f)["function"]
    assert (tool["name"], tool["description"], tool["parameters"]["required"]) == ("f", "Does f.", ["a"])
    with pytest.raises(TypeError, match="annotate"):
        _schema.function(lambda x: x)


@dataclass
class Place:
    name: Literal["Paris", "Rome"]
    capital: bool


def test_answers_are_objects(smollm2: akunu.Model) -> None:
    g = smollm2.generate("The largest city of France as JSON: ", schema=Place, temperature=0, max_tokens=60)
    assert isinstance(g.parsed, Place) and g.parsed.name in ("Paris", "Rome")
    city = smollm2.chat("The largest city of France?", schema=City, temperature=0, max_tokens=60).parsed
    assert isinstance(city, City)
    value = smollm2.generate("JSON: ", schema={"enum": [1, 2]}, temperature=0, max_tokens=9).parsed
    assert value in (1, 2)
    assert smollm2.generate("A date: ", regex="[0-9]{4}", temperature=0, max_tokens=9).text.isdigit()
    gbnf = 'root ::= "yes" | "no"'
    assert smollm2.generate("Is it? ", grammar=gbnf, temperature=0, max_tokens=9).text in ("yes", "no")


def test_answers_that_are_cut_say_so(smollm2: akunu.Model) -> None:
    g = smollm2.generate("JSON: ", schema=Place, temperature=0, max_tokens=2)
    with pytest.raises(ValueError, match="'length'"):
        _ = g.parsed
    with pytest.raises(ValueError, match="schema="):
        _ = smollm2.generate("x", max_tokens=1).parsed
    with pytest.raises(ValueError, match="one of schema"):
        smollm2.generate("x", schema={}, regex="x")
    with pytest.raises(akunu.GrammarError):
        smollm2.generate("x", schema={"type": "nonsense"})
