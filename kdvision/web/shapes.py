"""JSON Schema in few words."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def text(description: str = "", **more: Any) -> Schema:
    """A text."""
    return _told({"type": "string"} | more, description)


def whole(description: str = "", **more: Any) -> Schema:
    """A whole number."""
    return _told({"type": "integer"} | more, description)


def number(description: str = "", **more: Any) -> Schema:
    """A number."""
    return _told({"type": "number"} | more, description)


def flag(description: str = "") -> Schema:
    """True or false."""
    return _told({"type": "boolean"}, description)


def listed(items: Schema, description: str = "", **more: Any) -> Schema:
    """A list of things of one shape."""
    return _told({"type": "array", "items": items} | more, description)


def thing(properties: Mapping[str, Schema], *, needs: tuple[str, ...] | None = None, description: str = "") -> Schema:
    """An object; all its properties are needed unless `needs` names those that are."""
    made = {"type": "object", "properties": dict(properties), "required": list(properties if needs is None else needs)}
    return _told(made, description)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    if "type" in schema and "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def ref(name: str) -> Schema:
    """The schema of a name, elsewhere in the same description."""
    return {"$ref": f"#/components/schemas/{name}"}


def _told(schema: Schema, description: str) -> Schema:
    return schema | ({"description": description} if description else {})
