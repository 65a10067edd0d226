"""JSON, by the names that scripts use."""

import json


def dumps(value, **options):
    return json.dumps(value, **options)


def dump_as_bytes(value, **options):
    return json.dumps(value, **options).encode("utf-8")


def loads(text, **options):
    return json.loads(text, **options)
