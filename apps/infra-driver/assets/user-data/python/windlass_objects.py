"""Requests and instances as scripts of the first version read them: by attributes."""

import re

#: What the package is: the VNFD's flavour, its templates. Filled before a script is loaded.
JOB = {}


def _camel(name):
    return re.sub(r"_([a-z0-9])", lambda found: found.group(1).upper(), name)


class Named(dict):
    """A JSON object whose members are attributes too, by their names in either spelling. What is not there is None."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self:
            return self[name]
        return self[_camel(name)] if _camel(name) in self else None

    def __missing__(self, name):
        if isinstance(name, str) and _camel(name) in self:
            return self[_camel(name)]
        raise KeyError(name)

    def get(self, name, default=None):
        if name in self:
            return self[name]
        return super().get(_camel(name), default) if isinstance(name, str) else default


#: Members that customers fill as they like: their keys are theirs.
_FREE = {"additionalParams", "metadata", "vnfConfigurableProperties", "extensions", "interfaceInfo", "accessInfo"}


def wrapped(value, key=None):
    if key in _FREE:
        return value
    if isinstance(value, dict):
        if key == "cpConfig":
            return [wrapped(each) for each in value.values()]
        return Named((name, wrapped(each, name)) for name, each in value.items())
    if isinstance(value, list):
        return [wrapped(each) for each in value]
    return value
