"""conform.py FILE

Reads answers and events of a core as JSON lines and writes what does not fit the official package's type definitions, a line for
each kind of fault. Tags that the package does not have are named in a last line.
"""

import json
import sys
import types
import typing

from official import load

_, _, replies, events = load()


def hints(kind):
    return typing.get_type_hints(kind, include_extras=True)


def faults(value, kind, path):
    origin = typing.get_origin(kind)
    if origin is typing.NotRequired:
        return faults(value, typing.get_args(kind)[0], path)
    if origin is typing.Literal:
        return [] if value in typing.get_args(kind) else [f"{path}: {value!r} is none of {typing.get_args(kind)}"]
    if origin in (types.UnionType, typing.Union):
        for each in typing.get_args(kind):
            if value.get("type") in typing.get_args(hints(each)["type"]):
                return faults(value, each, path)
        return [f"{path}: no such alternative as {value.get('type')!r}"]
    if origin is list:
        found = [] if isinstance(value, list) else [f"{path}: is no list"]
        return found or [f for i, each in enumerate(value) for f in faults(each, typing.get_args(kind)[0], f"{path}.{i}")]
    if typing.is_typeddict(kind):
        if not isinstance(value, dict):
            return [f"{path}: is no object"]
        members = hints(kind)
        needed = {name for name, hint in members.items() if typing.get_origin(hint) is not typing.NotRequired}
        found = [f"{path}: {name} is missing" for name in sorted(needed - set(value))]
        found += [f"{path}: {name} is not known" for name in sorted(set(value) - set(members))]
        return found + [f for name in value if name in members for f in faults(value[name], members[name], f"{path}.{name}")]
    if kind is int:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        # The one number that comes as a string.
        return [] if is_number or path.endswith("agentUserId") else [f"{path}: is no number"]
    if kind in (str, bool):
        return [] if isinstance(value, kind) else [f"{path}: is no {kind.__name__}"]
    return []


def kinds(module):
    return {
        typing.get_args(hints(kind)["type"])[0]: kind
        for kind in vars(module).values()
        if typing.is_typeddict(kind) and "type" in hints(kind)
    }


known = {**kinds(events), **kinds(replies)}
both = set(kinds(events)) & set(kinds(replies))
unknown = set()
seen = set()
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        answer = json.loads(line)
        tag = answer["type"]
        if tag not in known:
            unknown.add(tag)
            continue
        candidates = [kinds(events)[tag], kinds(replies)[tag]] if tag in both else [known[tag]]
        for fault in min((faults(answer, kind, tag) for kind in candidates), key=len):
            seen.add(fault)
print(*sorted(seen), sep="\n", end="\n" if seen else "")
print("not in the package:", *sorted(unknown))
