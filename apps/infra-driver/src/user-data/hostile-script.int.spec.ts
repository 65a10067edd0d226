import { seconds } from '@windlass/foundation';
import { createServer, type AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { Runnable } from './runnable.js';
import { js, MODULE, python, run, sandboxed } from './testing/script-world.js';

const NL = '\n';
const PYTHON = [
  ['never ends', 'while True: pass', /was ended after 2 s/, 2],
  [
    'sleeps past its time, deaf to SIGTERM',
    'import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(3600)',
    /was ended after 2 s/,
    2,
  ],
  ['takes 10 GB of memory', 'return {"x": "a" * 10**10}', /MemoryError.*at UserData\/user_data.py line 6/, 20],
  ['takes memory bit by bit', 'held = []\nwhile True: held.append(bytearray(10**7))', /MemoryError/, 20],
  ['takes memory that no process holds', 'fd = os.memfd_create("x")\nos.write(fd, b"x")', /PermissionError/, 20],
  ['is a fork bomb', 'while True: os.fork()', /(BlockingIOError|PermissionError)/, 20],
  [
    'leaves a daemon behind',
    'if os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    import time; time.sleep(3600)\nreturn {}',
    /(BlockingIOError|PermissionError)/,
    20,
  ],
  [
    'starts a program',
    'import subprocess\nsubprocess.run(["/bin/sh", "-c", "id"])',
    /Error: .*at UserData\/user_data.py line 7/,
    20,
  ],
  ['reads /etc/shadow', 'return {"x": open("/etc/shadow").read()}', /FileNotFoundError.*\/etc\/shadow/, 20],
  ["reads the service's environment", 'return {"x": open("/proc/1/environ").read()}', /FileNotFoundError/, 20],
  ['writes into the package', 'open("/package/UserData/user_data.py", "w")', /(Read-only file system|Permission denied)/, 20],
  ['writes into the root', 'open("/x", "w")', /Read-only file system/, 20],
  [
    'fills the scratch folder',
    'for n in range(100):\n  with open(f"/tmp/{n}", "wb") as f: f.write(b"x" * 7_000_000)',
    /OSError: .*(No space left|File too large)/,
    20,
  ],
  [
    'writes one large file',
    'with open("/tmp/x", "wb") as f: f.write(b"x" * 10**9)',
    /(OSError: .*(No space left|File too large)|MemoryError)/,
    20,
  ],
  ['opens files without end', 'held = [open("/dev/null") for _ in range(1000)]', /Too many open files/, 20],
  ['prints a gigabyte', 'for _ in range(1000): print("x" * 10**6)', /printed more than 1048576 bytes/, 20],
  ['ends itself', 'os._exit(0)', /ended with 0 and gave no result/, 20],
  ['exits', 'sys.exit("enough")', /SystemExit: enough/, 20],
  ['kills itself', 'os.kill(os.getpid(), 9)', /ended with 137 and gave no result|ended by SIGKILL/, 20],
  ['kills whatever it may', 'os.kill(-1, 9)', /gave no result|ProcessLookupError/, 20],
  [
    'makes a namespace of its own',
    'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nif libc.unshare(0x10000000) != 0: raise OSError(ctypes.get_errno(), "unshare")',
    /PermissionError: .*unshare/,
    20,
  ],
] as const;

const BOMBS = [
  ['a list', 'return []', /is a list, where a map of parameters was expected/],
  ['a number that is none', 'return {"nfv": {"x": float("nan")}}', /nfv\.x: nan is no number that JSON has/],
  ['an integer beyond JSON', 'return {"x": 10**400}', /x: 1000.* is too large a number/],
  ['what holds itself', 'x = {}\nx["x"] = x\nreturn x', /is nested deeper than 32 levels, or holds itself/],
  ['a thousand levels', 'x = {}\nfor _ in range(1000): x = {"x": x}\nreturn x', /is nested deeper than 32 levels/],
  ['a million values', 'return {"x": list(range(10**6))}', /more than 50000 values are returned/],
  ['a hundred megabytes', 'return {"x": "a" * 10**8}', /is larger than 262144 bytes|MemoryError/],
  ['an object', 'return {"x": object()}', /x: a value of type object is no JSON/],
  ['a key that is no string', 'return {1: 2}', /the key 1 is no string/],
  ['no JSON behind our back', 'os.write(3, b"{" * 1000)\nos._exit(0)', /gave no result/],
  [
    'a bomb behind our back',
    'os.write(3, b\'{"signature":"v1","called":true,"result":[\' + b"[" * 10**6)\nos._exit(0)',
    /is larger than 262144 bytes/,
  ],
  [
    'a deep one behind our back',
    'os.write(3, b\'{"signature":"v1","called":true,"result":{"x":\' + b"[" * 10**5 + b"]" * 10**5 + b"}}")\nos._exit(0)',
    /is nested deeper than 34 levels/,
  ],
] as const;

describe('a hostile script in Python', () => {
  // What was killed is on its way out for a moment.
  afterEach(() => expect.poll(sandboxed).toEqual([]));

  test.each(PYTHON)('that %s ends with a clear error and leaves nothing', async (_, body, error, within) => {
    await expect(run({ text: python(body), within: seconds(within) })).rejects.toMatchObject({
      code: 'user-data.failed',
      message: expect.stringMatching(error) as string,
    });
  });

  test.each(BOMBS)('that returns %s is told so before Heat sees it', async (_, body, error) => {
    await expect(run({ text: python(body) })).rejects.toThrow(error);
  });

  test('reaches no network, the one of this machine included', async () => {
    const server = createServer((socket) => socket.destroy());
    const reached = new Promise<string>((resolve) => server.on('connection', () => resolve('reached')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const ran = run({ text: python(`import socket\nsocket.create_connection(("127.0.0.1", ${port}), 2)`) });
      await expect(Promise.race([ran, reached])).rejects.toThrow(/PermissionError|Network is unreachable/);
    } finally {
      server.close();
    }
  });

  test('sees nothing of the environment, of other processes and of the user that the service is', async () => {
    process.env.WINDLASS_A_SECRET = 'hunter2';
    const { result } = await run({
      text: python(
        [
          'import pwd',
          'return {"env": dict(os.environ), "root": sorted(os.listdir("/")), "dev": sorted(os.listdir("/dev")), "pid": os.getpid(),',
          '  "uid": os.getuid(), "etc": sorted(os.listdir("/etc")), "package": sorted(os.listdir("/package")), "usr": sorted(os.listdir("/usr/bin"))}',
        ].join(NL),
      ),
      more: { 'Definitions/top.yaml': 'x: 1' },
    });
    delete process.env.WINDLASS_A_SECRET;
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(result).toMatchObject({
      root: expect.not.arrayContaining(['proc', 'home', 'root', 'work', 'sys', 'var']) as string[],
      dev: ['null', 'urandom'],
      etc: ['ld.so.cache'],
      package: ['Definitions', 'UserData'],
      uid: 65534,
    });
    expect((result as { usr: string[] }).usr.filter((name) => !name.startsWith('python3'))).toEqual(['prlimit']);
  });

  test('is ended with the step that runs it', async () => {
    const stop = new AbortController();
    const ran = run({ text: python('import time\ntime.sleep(3600)'), signal: stop.signal });
    await expect.poll(sandboxed).not.toEqual([]);
    stop.abort(new Error('the lease is lost'));
    await expect(ran).rejects.toThrow('the lease is lost');
  });

  test('is ended at whatever moment of its beginning', async () => {
    for (let wait = 0; wait < 60; wait += 3) {
      const stop = new AbortController();
      const ran = run({ text: python('import time\ntime.sleep(3600)'), signal: stop.signal });
      setTimeout(() => stop.abort(new Error('the lease is lost')), wait);
      await expect(ran, `after ${wait} ms`).rejects.toThrow('the lease is lost');
    }
  });

  test('runs as a user that nobody is, with no way to more', async () => {
    const ran = run({ text: python('import time\ntime.sleep(2)\nreturn {}') });
    await expect.poll(() => sandboxed().some((each) => each.includes('python3'))).toBe(true);
    const pid =
      sandboxed()
        .find((each) => each.includes('python3'))
        ?.split(' ')[0] ?? '';
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    await ran;
  });
});

describe('a hostile script in JavaScript', () => {
  // What was killed is on its way out for a moment.
  afterEach(() => expect.poll(sandboxed).toEqual([]));
  const script = MODULE;

  test.each([
    ['never ends', 'for (;;);', /was ended after 2 s/],
    ['waits for ever', 'await new Promise((resolve) => setTimeout(resolve, 3_600_000));', /was ended after 2 s/],
    [
      'takes 10 GB of memory',
      'const held = []; for (;;) held.push(Buffer.alloc(50_000_000, 1));',
      /(RangeError|heap out of memory|gave no result)/,
    ],
    ['takes the heap', 'const held = []; for (;;) held.push(new Array(1_000_000).fill({}));', /gave no result/],
    [
      'starts a program',
      "const { execFileSync } = await import('node:child_process'); execFileSync('/usr/bin/prlimit');",
      /Access to this API has been restricted/,
    ],
    [
      'reads /etc/shadow',
      "const { readFileSync } = await import('node:fs'); return { x: readFileSync('/etc/shadow', 'utf8') };",
      /ENOENT.*\/etc\/shadow.*at UserData\/user-data.mjs line 3/,
    ],
    ['asks the network', "await fetch('http://127.0.0.1:1/');", /fetch failed|EPERM/],
    ['ends itself', 'process.exit(0);', /ended itself with 0/],
    ['prints without end', "for (;;) (await import('node:fs')).writeSync(1, 'x'.repeat(100_000));", /printed more than/],
    ['throws what is no error', "throw 'enough';", /enough/],
  ])('that %s ends with a clear error and leaves nothing', async (_, body, error) => {
    await expect(
      run({ text: js(body), script, within: seconds(body.includes('for (;;);') || body.includes('3_600') ? 2 : 20) }),
    ).rejects.toMatchObject({
      code: 'user-data.failed',
      message: expect.stringMatching(error) as string,
    });
  });

  test.each([
    ['what holds itself', 'const x = {}; x.x = x; return x;', /nested deeper than 32 levels/],
    ['what is no number', 'return { x: NaN };', /x: NaN is no number/],
    ['a function', 'return { x: () => 1 };', /a value of type Function is no JSON/],
    ['text', "return 'x';", /is a string, where a map/],
  ])('that returns %s is told so', async (_, body, error) => {
    await expect(run({ text: js(body), script })).rejects.toThrow(error);
  });
});

describe('a machine that', () => {
  test('has no Python at that path says so, and runs JavaScript all the same', async () => {
    const runnable = new Runnable('/nowhere/python3');
    await expect(runnable.of({ language: 'python' })).resolves.toMatchObject({
      runnable: false,
      reason: expect.stringMatching(/no \/nowhere\/python3.*install the package python3/) as string,
    });
    await expect(runnable.of({ language: 'javascript' })).resolves.toEqual({ runnable: true });
  });
});
