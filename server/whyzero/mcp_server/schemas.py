"""JSON schemas as they are published: complete, closed, without the generator's noise."""

from __future__ import annotations

from typing import Any

from whyzero.evidence import Output


def input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A tool's arguments: unknown ones refused, and an optional one is simply not required (no `null` in its type)."""
    lean = _lean(schema, nullable=False) | {"additionalProperties": False}
    kinds = lean.pop("$defs", {})
    for name, argument in lean["properties"].items():
        if kind := kinds.get(argument.pop("$ref", "").rpartition("/")[2]):
            lean["properties"][name] = kind | argument
    return lean


def output_schema(report: type[Output]) -> dict[str, Any]:
    """What `dump` of this report looks like: required is every field that `dump` never leaves out."""
    schema = report.model_json_schema(mode="serialization")
    kinds = {(cls.__name__, *_required(cls)): _required(cls) for cls in _subclasses(Output)}
    for one in (schema, *schema.get("$defs", {}).values()):
        names = tuple(one.get("properties", ()))
        if (required := kinds.get((one.get("title", ""), *names))) is not None:
            one["required"] = [name for name, always in required.items() if always]
    return _lean(schema, nullable=True)


def _required(cls: type[Output]) -> dict[str, bool]:
    """Field as it is sent, and whether it always is."""
    return {field.serialization_alias or name: name not in cls.left_out_when_empty for name, field in cls.model_fields.items()}


def _subclasses(cls: type[Output]) -> list[type[Output]]:
    return [cls, *(below for sub in cls.__subclasses__() for below in _subclasses(sub))]


def _lean(schema: dict[str, Any], nullable: bool) -> dict[str, Any]:
    """The schema without `title`, without empty defaults and, for arguments, without null alternatives."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and (nullable or value in (None, "", [], {}))):
            continue
        if key in ("properties", "$defs"):
            result[key] = {name: _lean(one, nullable) for name, one in value.items()}
        elif key == "anyOf" and not nullable:
            kinds = [_lean(one, nullable) for one in value if one != {"type": "null"}]
            result |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        elif isinstance(value, dict):
            result[key] = _lean(value, nullable)
        elif isinstance(value, list):
            result[key] = [_lean(one, nullable) if isinstance(one, dict) else one for one in value]
        else:
            result[key] = value
    return result
