"""Stands in for PyYAML where the machine has none: what is JSON is YAML. Reading anything else wants the package python3-yaml."""

import json


class YAMLError(Exception):
    """As PyYAML's."""


def safe_dump(data, stream=None, **options):
    text = json.dumps(data, ensure_ascii=False)
    return text if stream is None else stream.write(text)


def safe_load(stream):
    text = stream if isinstance(stream, (str, bytes)) else stream.read()
    try:
        return json.loads(text)
    except ValueError:
        raise YAMLError("there is no PyYAML where scripts are run, and this is YAML that is no JSON: install the package python3-yaml") from None


dump = safe_dump


def load(stream, Loader=None):
    return safe_load(stream)
