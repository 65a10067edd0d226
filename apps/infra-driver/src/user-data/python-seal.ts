/**
 * What Python runs first. Nothing of a package is loaded yet: it forbids this process to execute anything, for good, and goes on with what runs the
 * script. Where that can't be done it ends, with the reason.
 */
export const PYTHON_SEAL = `
HERE = "/windlass/"


def seal():
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]

    with open(HERE + "no-exec.bpf", "rb") as file:
        code = file.read()
    program = Program(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    set_seccomp, with_filter, none = ctypes.c_ulong(22), ctypes.c_ulong(2), ctypes.c_ulong(0)
    if libc.prctl(set_seccomp, with_filter, ctypes.byref(program), none, none) != 0:
        raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


seal()
__file__ = HERE + "windlass_run.py"
with open(__file__, encoding="utf-8") as run:
    run = compile(run.read(), __file__, "exec")
exec(run)
`.trimStart();
