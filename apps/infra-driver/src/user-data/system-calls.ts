import { arch } from 'node:process';

/**
 * System calls that a script never needs, by architecture. Those that the namespaces would refuse anyhow stand here too: what is refused before the
 * kernel looks at it can't be got wrong by the kernel. Some make memory that no limit counts: `memfd_create`, `shmget`, buffers of sockets and queues.
 */
const CALLS = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    mmap: 9,
    fcntl: 72,
    execve: 59,
    // fork, vfork, execveat; ptrace, mount, umount2, pivot_root, chroot, unshare, setns; keys; bpf, perf, userfaultfd, io_uring; kexec, modules;
    // open_by_handle_at, process_vm_*; socket, socketpair, memfd_create, memfd_secret, shmget, shmat, msgget, semget, mq_open; landlock, fanotify,
    // map_shadow_stack.
    refused: [
      57, 58, 322, 101, 165, 166, 155, 161, 272, 308, 248, 249, 250, 321, 298, 323, 425, 426, 427, 246, 175, 313, 176, 304, 310,
      311, 41, 53, 319, 447, 29, 30, 68, 64, 240, 444, 300, 453,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    mmap: 222,
    fcntl: 25,
    execve: 221,
    // As above; there is no fork and no vfork.
    refused: [
      281, 117, 40, 39, 41, 51, 97, 268, 217, 218, 219, 280, 241, 282, 425, 426, 427, 104, 105, 273, 106, 265, 270, 271, 198, 199,
      279, 447, 194, 196, 186, 190, 180, 444, 262, 453,
    ],
  },
} as const;

type Instruction = [code: number, whenTrue: number, whenFalse: number, value: number];
const [LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refusedWith = (errno: number): number => 0x00050000 | errno;
const [EPERM, ENOSYS] = [1, 38];
/** Offsets in what the kernel shows a filter: the call's number, the architecture, the low half of an argument. */
const [NUMBER, ARCHITECTURE] = [0, 4];
const argument = (index: number): number => 16 + 8 * index;
const CLONE_THREAD = 0x00010000;
/** Calls of the x32 ABI are those of x86-64 with this bit. */
const X32 = 0x40000000;
const [MAP_SHARED, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_HUGETLB] = [0x01, 0x20, 0x0100, 0x40000];
const F_SETPIPE_SZ = 1031;

/**
 * A seccomp filter as bubblewrap takes it: a program for the kernel's classic BPF machine. Threads may be made, processes may not: glibc is told that
 * there is no `clone3`, and then calls `clone`, whose flags a filter can read. Shared memory without a file is refused, and so are stacks that grow:
 * the limits of what may be written do not count them. Pipes keep their size. Undefined on an architecture whose numbers are not known here.
 */
export function seccompFilter(): Buffer | undefined {
  if (known === undefined) return undefined;
  return assembled([
    ...ofThisArchitecture(known.audit),
    ...onCall(known.clone3, [[RETURN, 0, 0, refusedWith(ENOSYS)]]),
    ...onCall(known.clone, [
      [LOAD, 0, 0, argument(0)],
      [ANY_BIT, 0, 1, CLONE_THREAD],
      [RETURN, 0, 0, ALLOW],
      [RETURN, 0, 0, refusedWith(EPERM)],
    ]),
    ...onCall(known.mmap, [
      [LOAD, 0, 0, argument(3)],
      [ANY_BIT, 2, 0, MAP_GROWSDOWN | MAP_HUGETLB],
      [AND, 0, 0, MAP_SHARED | MAP_ANONYMOUS],
      [EQUAL, 0, 1, MAP_SHARED | MAP_ANONYMOUS], // of MAP_SHARED_VALIDATE the bit is one
      [RETURN, 0, 0, refusedWith(EPERM)],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...onCall(known.fcntl, [
      [LOAD, 0, 0, argument(1)],
      [EQUAL, 0, 1, F_SETPIPE_SZ],
      [RETURN, 0, 0, refusedWith(EPERM)],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...known.refused.flatMap((call) => onCall(call, [[RETURN, 0, 0, refusedWith(EPERM)]])),
    [RETURN, 0, 0, ALLOW],
  ]);
}

/**
 * A filter that an interpreter puts on itself once it runs, and that forbids to execute anything from then on. The first filter can't forbid that,
 * because it is in force before the interpreter is executed.
 */
export function noExecFilter(): Buffer | undefined {
  if (known === undefined) return undefined;
  return assembled([
    ...ofThisArchitecture(known.audit),
    ...onCall(known.execve, [[RETURN, 0, 0, refusedWith(EPERM)]]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

const known = arch === 'x64' || arch === 'arm64' ? CALLS[arch] : undefined;

/** Refuses calls of any other architecture, which have other numbers. Leaves the call's number loaded for what follows. */
const ofThisArchitecture = (audit: number): Instruction[] => [
  [LOAD, 0, 0, ARCHITECTURE],
  [EQUAL, 1, 0, audit],
  [RETURN, 0, 0, KILL],
  [LOAD, 0, 0, NUMBER],
  [AT_LEAST, 0, 1, X32],
  [RETURN, 0, 0, KILL],
];

/** What to do on a call. `then` has to end in a return, because it may have loaded something other than the call's number. */
const onCall = (call: number, then: Instruction[]): Instruction[] => [[EQUAL, 0, then.length, call], ...then];

function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
