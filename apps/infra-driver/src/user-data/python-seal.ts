/**
 * The first code that Python runs, before anything of a package is loaded. It forbids the process for good to execute another program, then goes on
 * to the code that runs the script. Where that fails, it ends with the reason.
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
