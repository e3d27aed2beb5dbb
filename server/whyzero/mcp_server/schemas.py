"""JSON schemas as they are published: complete, closed, without the generator's noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyzero.evidence import Output

BOUNDS = ("maxLength", "maxItems", "maxProperties")
"""Kept, and named when exceeded; nobody has to read them before."""


def input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A tool's arguments: unknown ones refused, and an optional one is simply not required (no `null` in its type)."""
    lean = _lean(schema, of_answer=False) | {"additionalProperties": False}
    kinds = lean.pop("$defs", {})
    for name, argument in lean["properties"].items():
        if kind := kinds.get(argument.pop("$ref", "").rpartition("/")[2]):
            lean["properties"][name] = kind | argument
    return lean


def output_schema(report: type[Output]) -> dict[str, Any]:
    """What `dump` of this report looks like: required is every field that `dump` never leaves out."""
    from whyzero.evidence import Output

    schema = report.model_json_schema(mode="serialization")
    kinds = {(cls.__name__, *_required(cls)): _required(cls) for cls in _subclasses(Output)}
    for one in (schema, *schema.get("$defs", {}).values()):
        names = tuple(one.get("properties", ()))
        if (required := kinds.get((one.get("title", ""), *names))) is not None:
            one["required"] = [name for name, always in required.items() if always]
    return _lean(schema, of_answer=True)


def _required(cls: type[Output]) -> dict[str, bool]:
    """Field as it is sent, and whether it always is."""
    return {field.serialization_alias or name: name not in cls.left_out_when_empty for name, field in cls.model_fields.items()}


def _subclasses(cls: type[Output]) -> list[type[Output]]:
    return [cls, *(below for sub in cls.__subclasses__() for below in _subclasses(sub))]


def _lean(schema: dict[str, Any], of_answer: bool) -> dict[str, Any]:
    """The schema without `title`, without empty defaults and, for arguments, without null alternatives."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if (
            key == "title"
            or (key in BOUNDS and not of_answer)
            or (key == "additionalProperties" and value is True)
            or (key == "default" and (of_answer or value in (None, "", [], {})))
        ):
            continue
        if key == "propertyNames" and not _lean(value, of_answer):
            continue  # nothing is left of it: it would say that any name will do
        if key in ("properties", "$defs"):
            result[key] = {name: _lean(one, of_answer) for name, one in value.items()}
        elif key == "anyOf" and not of_answer:
            kinds = [_lean(one, of_answer) for one in value if one != {"type": "null"}]
            result |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        elif isinstance(value, dict):
            result[key] = _lean(value, of_answer)
        elif isinstance(value, list):
            result[key] = [_lean(one, of_answer) if isinstance(one, dict) else one for one in value]
        else:
            result[key] = value
    return result
