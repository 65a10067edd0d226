"""Looks at a script without running it: whether it compiles, what must be installed for it, and whether it has the class."""

import ast
import importlib.util
import warnings


def is_there(module):
    """Whether it is installed here. A parent that fails to load is there, and says so when the script is run."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
    except Exception:
        return True


def missing(modules):
    absent = [module for module in modules if not is_there(module)]
    if not absent:
        return None
    return {"reason": f"imports what is not installed where user data is run: {', '.join(absent)}"}


def bound(tree):
    """The classes of a script, and all names that something in it may give to a class; None where only running it can tell."""
    classes, names = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            classes.append(node.name)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.alias):
            if node.name == "*":
                return None
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            return None
    return classes, names


def fault_in(text, path, class_name):
    if text is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, path, "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
            compile(text, path, "exec", dont_inherit=True)
        known = bound(tree)
    except SyntaxError as error:
        said = f"{type(error).__name__}: {error.msg}, line {error.lineno} ({(error.text or '').strip()[:200]})"
        return {"reason": f"is no Python that can be run here: {said}"}
    except ValueError as error:
        return {"reason": f"is no Python that can be run here: {error}"}
    except (RecursionError, MemoryError):
        return None  # running it says the rest
    if known is None or class_name in known[0] or class_name in known[1]:
        return None
    return {"reason": f"there is no class {class_name} in it; it has {', '.join(known[0][:10]) or 'none'}", "lacksClass": True}


class Trial:
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        if not req:
            return {"ran": True}
        fault = fault_in(req.get("text"), req["path"], req["className"]) or missing(req["modules"])
        return {"fault": fault} if fault else {"ran": True}
