import { seconds } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { interpreterOf } from './interpreters.js';
import type { Program } from './sandbox-arguments.js';
import { runInSandbox } from './sandbox.js';
import { js, MODULE, python, run } from './testing/script-world.js';

const MIB = 1024 * 1024;

/** What a script said that it could touch, in MiB, and how it ended. */
async function ran(asked: Parameters<typeof run>[0]): Promise<{ touched: number; error: string }> {
  const error = await run(asked).then(
    () => 'it ended well',
    (thrown: unknown) => (thrown as Error).message,
  );
  return { touched: touchedIn(error), error };
}

const touchedIn = (said: string): number => Number([...said.matchAll(/touched (\d+) MiB/g)].at(-1)?.[1] ?? NaN);

/** Takes one MiB after another by `take`, touches each page of it and says how many there are. */
const hoard = (take: string): string =>
  `import mmap, ctypes
held = []
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
MIB = 1 << 20
def refused(): raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def mapped(flags):
  at = libc.mmap(None, ctypes.c_size_t(MIB), 3, flags, -1, ctypes.c_long(0))
  if at == ctypes.c_void_p(-1).value: refused()
  return (ctypes.c_char * MIB).from_address(at)
print("touched 0 MiB", flush=True)
while len(held) < 1024:
  ${take}
  block = held[-1]
  for page in range(0, MIB, 4096): block[page] = b"x" if isinstance(block, ctypes.Array) else 120
  print(f"touched {len(held)} MiB", flush=True)`;

/** Kinds of memory that no limit of a process counts, or not everywhere. */
const KINDS = [
  ['shared and of no file', 'held.append(mmap.mmap(-1, MIB))'],
  ['shared and of no file, by its other name', 'held.append(mapped(0x23))'],
  ['a stack that grows', 'held.append(mapped(0x122))'],
  [
    "of System V's",
    'id = libc.shmget(0, MIB, 0o1600)\n  if id < 0: refused()\n  libc.shmat.restype = ctypes.c_void_p\n  held.append((ctypes.c_char * MIB).from_address(libc.shmat(id, None, 0)))',
  ],
] as const;

describe('memory that a script in Python takes', () => {
  test.each(KINDS)('%s is refused', async (_, take) => {
    const { touched, error } = await ran({ text: python(hoard(take)) });
    expect(error).toMatch(/PermissionError/);
    expect(touched).toBe(0);
  });

  test("of multiprocessing's shared memory is refused", async () => {
    const { touched, error } = await ran({
      text: python(
        `print("touched 0 MiB")\nfrom multiprocessing import shared_memory\nheld = shared_memory.SharedMemory(create=True, size=${1024 * MIB})\nheld.buf[:] = bytes(${1024 * MIB})\nprint("touched 1024 MiB")`,
      ),
    });
    expect(error).toMatch(/FileNotFoundError|PermissionError/);
    expect(touched).toBe(0);
  });

  test.each([
    ['in larger pipes', 'import fcntl\nr, w = os.pipe()\nfcntl.fcntl(w, fcntl.F_SETPIPE_SZ, 1 << 20)'],
    ['in pairs of sockets', 'import socket\nsocket.socketpair()'],
    [
      'in queues of messages',
      'import ctypes\nlibc = ctypes.CDLL("librt.so.1", use_errno=True)\nif libc.mq_open(b"/x", 0o102, 0o600, None) < 0: raise OSError(ctypes.get_errno(), "mq_open")',
    ],
    [
      'for rules of a sandbox of its own',
      'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nif libc.syscall(444, ctypes.byref(ctypes.c_uint64(1)), 8, 0) < 0: raise OSError(ctypes.get_errno(), "landlock")',
    ],
    [
      'in rings',
      'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nif libc.syscall(425, 8, ctypes.create_string_buffer(256)) < 0: raise OSError(ctypes.get_errno(), "io_uring")',
    ],
  ])('of the kernel, %s, is refused', async (_, body) => {
    await expect(run({ text: python(body) })).rejects.toThrow(/PermissionError/);
  });

  test('of the kernel, for files without end, has an end', async () => {
    const body = 'for n in range(100_000):\n  open(f"/tmp/{n}", "w").close()\n  print(n, flush=n % 100 == 0)';
    await expect(run({ text: python(body) })).rejects.toThrow(/OSError: .*No space left on device: '\/tmp\/10\d\d'/);
  });
});

/** What it printed to the end, as a crash may say much behind it, and what came of it. */
async function printed(
  language: 'python' | 'javascript',
  text: string,
  memory: Partial<Program['memory']> = {},
): Promise<string> {
  const { program, files } = interpreterOf(language, '/usr/bin/python3');
  const script = language === 'python' ? 'script.py' : 'script.mjs';
  const { said, result } = await runInSandbox({
    project: 'default',
    program: { ...program, memory: { ...program.memory, ...memory } },
    files: new Map([...files, [`/package/${script}`, Buffer.from(text)]]),
    input: JSON.stringify({ script, class: 'Data', method: 'instantiate', package: {}, v1: [], module: {} }),
    within: seconds(20),
    signal: new AbortController().signal,
  });
  return `${said}${result}`;
}

describe('memory where a limit counts what may be written, and not what is shared', () => {
  test.each([...KINDS, ['of its own', 'held.append(bytearray(MIB))'] as const])(
    '%s is no more than the limit',
    async (_, take) => {
      const said = await printed('python', python(hoard(take)), { bytes: 80 * MIB, of: 'data' });
      expect(touchedIn(said)).toBeLessThanOrEqual(80);
    },
  );
});

describe('memory that a script in JavaScript takes', () => {
  /** As much as its limit, in what Node has to share memory with. */
  const LIMIT = 768;
  const touch = (take: string): string =>
    `const held = []; for (let n = 0; n < 1024;) { ${take}; n += 16; new Uint8Array(held.at(-1)).fill(1); console.log(\`touched \${n} MiB\`); }`;

  test.each([
    ['that is shared', 'held.push(new SharedArrayBuffer(16 << 20))'],
    ['that is shared and grows', 'held.push(new SharedArrayBuffer(0, { maxByteLength: 16 << 20 })); held.at(-1).grow(16 << 20)'],
    ['of WebAssembly', 'held.push(new WebAssembly.Memory({ initial: 256, maximum: 256, shared: true }).buffer)'],
  ])('%s is no more than the limit', async (_, take) => {
    const said = await printed('javascript', js(touch(take)));
    expect(said).toMatch(/RangeError|out of memory|Out of memory/);
    expect(touchedIn(said)).toBeGreaterThan(0);
    expect(touchedIn(said)).toBeLessThanOrEqual(LIMIT);
  });

  test('at once, as 1 GiB that is shared, is refused', async () => {
    const { error } = await ran({ text: js('new Uint8Array(new SharedArrayBuffer(2 ** 30)).fill(1);'), script: MODULE });
    expect(error).toMatch(/RangeError/);
  });
});
