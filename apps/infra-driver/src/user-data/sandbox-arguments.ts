import type { Duration } from '@windlass/foundation';

/** What is run. */
export interface Program {
  /** The interpreter, by its real path on this machine. */
  executable: string;
  /** Folders of its libraries beside the system's. */
  libraries: readonly string[];
  arguments: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Bytes of memory, and how they are counted: of the address space, or of what may be written where an interpreter reserves much more than it uses. */
  memory: { bytes: number; of: 'address-space' | 'data' };
  /** Threads and processes, that of the sandbox included. */
  tasks: number;
}

/** The system's libraries: what an interpreter is linked with, and the library of Debian's Python. */
const SYSTEM_LIBRARIES = ['/usr/lib', '/usr/lib64', '/lib', '/lib64'];
const PRLIMIT = '/usr/bin/prlimit';
export const SCRATCH_BYTES = 8 * 1024 * 1024;
/** Each is kernel memory, even of an empty file. */
const SCRATCH_FILES = 1024;
const STACK_BYTES = 8 * 1024 * 1024;
const OPEN_FILES = 64;
/** Each is kernel memory, as a timer is that would send one. */
const PENDING_SIGNALS = 256;

/** What is run, from the outermost: util-linux, the shell and bubblewrap where Debian and others have them; nothing is looked up by PATH. */
const [UNSHARE, SHELL, MOUNT, MKDIR, BWRAP] = ['/usr/bin/unshare', '/bin/sh', '/bin/mount', '/bin/mkdir', '/usr/bin/bwrap'];
export const SANDBOX_PROGRAMS = [UNSHARE, SHELL, MOUNT, MKDIR, BWRAP, PRLIMIT] as const;

/** Where what a script sees of files is mounted in a namespace between the machine and the sandbox: no interpreter lies there. */
const OUTSIDE = '/sys';
/** Folders of files that come by pipes. */
const HANDED = ['/windlass', '/package'] as const;
/**
 * Files that a script brings or writes lie on mounts from which nothing is executed: the kernel refuses to map them as code, so neither the loader
 * nor `dlopen` can run them. Bubblewrap has no option for that, so they are mounted before it starts.
 */
const NOEXEC = 'nosuid,nodev,noexec';
const MOUNTS = [
  `${MOUNT} -t tmpfs -o ${NOEXEC},mode=0755 tmpfs ${OUTSIDE}`,
  `${MKDIR} -m 0755 ${HANDED.map((folder) => OUTSIDE + folder).join(' ')} ${OUTSIDE}/tmp`,
  `${MOUNT} -t tmpfs -o ${NOEXEC},mode=1777,size=${SCRATCH_BYTES},nr_inodes=${SCRATCH_FILES} tmpfs ${OUTSIDE}/tmp`,
  'exec "$@"',
].join(' && ');

/** Where bubblewrap says which process is the first of its namespace, and what it waits for before it begins. */
export const [INFO, GO] = [4, 5] as const;
/** The file descriptor of the filter of system calls; those of the files follow. */
export const FIRST_HANDED = 6;

/** The command line. Of the customer's data it holds only the paths of a package's files, each an argument of its own and absolute. */
export function sandboxCommand({
  program,
  files,
  within,
}: {
  program: Program;
  files: readonly string[];
  within: Duration;
}): [command: string, ...string[]] {
  const { executable, libraries, environment, memory, tasks } = program;
  return [
    UNSHARE,
    ...['--user', '--map-root-user', '--mount', '--', SHELL, '-c', MOUNTS, SHELL, BWRAP],
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--disable-userns', '--uid', '65534', '--gid', '65534', '--hostname', 'user-data', '--cap-drop', 'ALL'],
    ...[
      '--die-with-parent',
      '--new-session',
      '--clearenv',
      '--seccomp',
      String(FIRST_HANDED),
      '--info-fd',
      String(INFO),
      '--block-fd',
      String(GO),
    ],
    ...Object.entries({ LANG: 'C.UTF-8', HOME: '/tmp', ...environment }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...SYSTEM_LIBRARIES.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ...libraries.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...[executable, PRLIMIT].flatMap((file) => ['--ro-bind', file, file]),
    ...[...HANDED, '/tmp'].flatMap((folder) => ['--bind', OUTSIDE + folder, folder]),
    ...files.flatMap((path, index) => ['--perms', '0444', '--file', String(FIRST_HANDED + 1 + index), path]),
    ...['/dev/null', '/dev/urandom'].flatMap((device) => ['--dev-bind', device, device]),
    ...[...HANDED, '/'].flatMap((folder) => ['--remount-ro', folder]),
    ...['--chdir', '/tmp', '--'],
    // Limits are set inside the namespace: the kernel counts processes by user and user namespace, so processes outside do not count.
    PRLIMIT,
    memory.of === 'data' ? `--data=${memory.bytes}` : `--as=${memory.bytes}`,
    ...[`--nproc=${tasks}`, `--nofile=${OPEN_FILES}`, `--fsize=${SCRATCH_BYTES}`, '--core=0', '--memlock=0'],
    ...[`--stack=${STACK_BYTES}`, `--sigpending=${PENDING_SIGNALS}`, '--msgqueue=0'],
    ...[`--cpu=${Math.ceil(within / 1000) + 1}`, '--', executable, ...program.arguments],
  ];
}
