import { arch } from 'node:process';

/**
 * System calls that a script never needs, by architecture. Those that the namespaces would refuse anyhow stand here too: what is refused before the
 * kernel looks at it can't be got wrong by the kernel. `memfd_create` and `shmget` would be memory that no limit counts.
 */
const REFUSED = {
  x64: {
    audit: 0xc000003e,
    clone: 56,
    clone3: 435,
    // fork, vfork; ptrace, mount, umount2, pivot_root, chroot, unshare, setns; keys; bpf, perf, userfaultfd, io_uring; kexec, modules;
    // open_by_handle_at, process_vm_*; socket, memfd_create, shmget, msgget, semget.
    calls: [
      57, 58, 101, 165, 166, 155, 161, 272, 308, 248, 249, 250, 321, 298, 323, 425, 426, 427, 246, 175, 313, 176, 304, 310, 311,
      41, 319, 29, 68, 64,
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    clone3: 435,
    // As above; there is no fork and no vfork.
    calls: [
      117, 40, 39, 41, 51, 97, 268, 217, 218, 219, 280, 241, 282, 425, 426, 427, 104, 105, 273, 106, 265, 270, 271, 198, 279, 194,
      186, 190,
    ],
  },
} as const;

const [LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06];
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refusedWith = (errno: number): number => 0x00050000 | errno;
const [EPERM, ENOSYS] = [1, 38];
/** Offsets in what the kernel shows a filter: the call's number, the architecture, the low half of the first argument. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
const CLONE_THREAD = 0x00010000;
/** Calls of the x32 ABI are those of x86-64 with this bit. */
const X32 = 0x40000000;

/**
 * A seccomp filter as bubblewrap takes it: a program for the kernel's classic BPF machine. Threads may be made and processes may not; glibc, told that
 * there is no `clone3`, asks for `clone`, whose flags a filter can read. Undefined on an architecture whose numbers are not known here.
 */
export function seccompFilter(): Buffer | undefined {
  const known = arch === 'x64' || arch === 'arm64' ? REFUSED[arch] : undefined;
  if (known === undefined) return undefined;
  const program: [code: number, whenTrue: number, whenFalse: number, value: number][] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, KILL],
    [EQUAL, 0, 1, known.clone3],
    [RETURN, 0, 0, refusedWith(ENOSYS)],
    [EQUAL, 0, 4, known.clone],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [ANY_BIT, 0, 1, CLONE_THREAD],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, refusedWith(EPERM)],
    ...known.calls.flatMap((call): [number, number, number, number][] => [
      [EQUAL, 0, 1, call],
      [RETURN, 0, 0, refusedWith(EPERM)],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
