"""python3 -m windlass_openstack.program NAME MODULE:FUNCTION ARGUMENTS...: runs a console script's entry point by name."""
import importlib
import sys

if __name__ == '__main__':
    name, target = sys.argv[1], sys.argv[2]
    sys.argv = [name] + sys.argv[3:]
    module, function = target.split(':')
    sys.exit(getattr(importlib.import_module(module), function)())
