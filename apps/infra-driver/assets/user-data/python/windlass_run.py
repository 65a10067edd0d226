"""Runs one method of a package's user data class. Stands between the script and Windlass, inside the sandbox.

Reads what to run from standard input, as JSON, and writes what came of it to the file descriptor 3. All that a script may import beside Python's own
library lies beside this file: modules by the names that existing scripts use, whose work is Windlass's own.
"""

import importlib.util
import inspect
import json
import math
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "/package"
MAX_DEPTH = 32
MAX_VALUES = 50_000


class Absent(Exception):
    """What the request names is not in the script."""


class WrongResult(Exception):
    """What the script returned is nothing that Heat could be given."""


def plain(value, path="the result", depth=0, counted=None):
    """The value as JSON has it. Names the place of what JSON does not have."""
    counted = counted if counted is not None else [0]
    counted[0] += 1
    if counted[0] > MAX_VALUES:
        raise WrongResult(f"{path}: more than {MAX_VALUES} values are returned")
    if depth > MAX_DEPTH:
        raise WrongResult(f"{path[:200]}: is nested deeper than {MAX_DEPTH} levels, or holds itself")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) >= 2**53:
            raise WrongResult(f"{path}: {str(value)[:40]} is too large a number")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise WrongResult(f"{path}: {value} is no number that JSON has")
        return float(value)
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise WrongResult(f"{path}: the key {key!r:.100} is no string")
        return {key: plain(each, f"{path}.{key}", depth + 1, counted) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, f"{path}[{index}]", depth + 1, counted) for index, each in enumerate(value)]
    raise WrongResult(f"{path}: a value of type {type(value).__name__} is no JSON")


def load(script):
    """The script as a module. Its own folder and the package are where its imports are looked up."""
    file = os.path.join(PACKAGE, script)
    # What Windlass brings stands first: a folder of the package may have any name.
    sys.path[:0] = [HERE, os.path.dirname(file), PACKAGE]
    if importlib.util.find_spec("yaml") is None:
        sys.path.append(os.path.join(HERE, "fallback"))
    name = module_name(script)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def module_name(script):
    """Its path as Python writes it, so that a script may import from beside it by `from . import`; its own name where no module can have that path."""
    parts = os.path.splitext(script)[0].split("/")
    return ".".join(parts) if all(part.isidentifier() for part in parts) and parts[0] not in sys.modules else parts[-1]


def takes_requests(user_data):
    """Whether the class follows the second version: five arguments, of which the last is the package's folder."""
    from tacker.sol_refactored.infra_drivers.openstack import userdata_utils

    if inspect.isclass(user_data) and issubclass(user_data, userdata_utils.AbstractUserData):
        return True
    arguments = inspect.signature(user_data.instantiate).parameters
    return "tmp_csar_dir" in arguments or len(arguments) == 5


def call(job):
    from windlass_objects import wrapped

    module = load(job["script"])
    user_data = getattr(module, job["class"], None)
    if user_data is None:
        own = [name for name, value in vars(module).items() if inspect.isclass(value) and value.__module__ == module.__name__]
        raise Absent(f"there is no class {job['class']} in it; it has {', '.join(own[:10]) or 'none'}")
    if not callable(getattr(user_data, "instantiate", None)):
        raise Absent(f"the class {job['class']} has no method instantiate")
    signature = "v2" if takes_requests(user_data) else "v1"
    method = getattr(user_data, job["method"], None)
    if method is None or is_abstract(method):
        return {"signature": signature, "called": False}
    given = job[signature]
    values = [wrapped(each["value"]) if each["object"] else each["value"] for each in given]
    result = method(*values, PACKAGE) if signature == "v2" else method(*values)
    return {"signature": signature, "called": True, "result": plain(result)}


def is_abstract(method):
    """A method that the class has from its base, which does nothing."""
    return getattr(method, "__isabstractmethod__", False) is True


def told(error):
    """The error, with the line of the script at which it came up."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(PACKAGE + "/")]
    at = own[-1] if own else None
    where = {} if at is None else {"file": at.filename[len(PACKAGE) + 1 :], "line": at.lineno, "text": (at.line or "")[:200]}
    if at is None and isinstance(error, SyntaxError) and (error.filename or "").startswith(PACKAGE + "/"):
        where = {"file": error.filename[len(PACKAGE) + 1 :], "line": error.lineno or 0, "text": (error.text or "").strip()[:200]}
    return {"type": type(error).__name__, "message": str(error)[:1000], **where}


def main():
    job = json.load(sys.stdin)
    sys.path.insert(0, HERE)
    import windlass_objects

    windlass_objects.JOB.update(job["package"])
    answer = os.fdopen(3, "w", encoding="utf-8")
    try:
        said = call(job)
    except Absent as error:
        said = {"absent": str(error)[:1000]}
    except WrongResult as error:
        said = {"wrong": str(error)[:1000]}
    except BaseException as error:  # a script that exits has not returned anything either
        said = {"error": told(error)}
    json.dump(said, answer, allow_nan=False)
    answer.close()
    sys.stdout.flush()
    os._exit(0)


main()
