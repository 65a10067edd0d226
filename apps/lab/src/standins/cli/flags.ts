import { millis, type Duration } from '@windlass/foundation';
import { parseGoDuration } from './go-duration.js';

/** The kinds of values that flags of the Kubernetes programs have (Go's pflag). */
export type FlagKind = 'string' | 'bool' | 'int' | 'strings' | 'duration';

export interface FlagSpec {
  kind: FlagKind;
  /** One letter, without its dash. */
  short?: string;
  /** As the help shows it. */
  default?: string;
  usage: string;
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

/** A command line that the real program would refuse too: its message goes to stderr, and the exit status is the caller's. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The values given on a command line. Every getter but `given` falls back to the default of the flag's specification. */
export class Flags {
  constructor(
    private readonly specs: FlagSpecs,
    private readonly values: ReadonlyMap<string, string[]>,
    /** What is left when flags are taken out. */
    readonly positional: readonly string[],
  ) {}

  given(name: string): boolean {
    return this.values.has(name);
  }

  /** Names of the flags on the command line, in their order. */
  get changed(): string[] {
    return [...this.values.keys()];
  }

  string(name: string): string {
    return this.values.get(name)?.at(-1) ?? this.specs[name]?.default ?? '';
  }

  bool(name: string): boolean {
    return this.string(name) === 'true';
  }

  int(name: string): number {
    return Number(this.string(name) || '0');
  }

  duration(name: string): Duration {
    return parseGoDuration(this.string(name)) ?? millis(0);
  }

  /** Comma-separated, and the flag may be repeated. */
  strings(name: string): string[] {
    const given = this.values.get(name) ?? (this.specs[name]?.default === undefined ? [] : [this.specs[name].default]);
    return given.flatMap((value) => value.split(',')).filter((value) => value !== '');
  }
}

/**
 * Parses a command line by pflag's rules: `--name value`, `--name=value`, `-n value`, `--bool`, `--` ends the flags.
 * @throws UsageError in pflag's words
 */
export function parseFlags(specs: FlagSpecs, args: readonly string[]): Flags {
  const values = new Map<string, string[]>();
  const positional: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      positional.push(...rest.splice(0));
    } else if (arg.startsWith('-') && arg !== '-') {
      const { name, inline, shown } = splitFlag(specs, arg);
      const value = valueOf(specs[name] ?? { kind: 'bool', usage: '' }, inline, rest, shown);
      values.set(name, [...(values.get(name) ?? []), value]);
    } else positional.push(arg);
  }
  return new Flags(specs, values, positional);
}

interface SplitFlag {
  name: string;
  inline: string | undefined;
  /** As the error message names it. */
  shown: string;
}

function splitFlag(specs: FlagSpecs, arg: string): SplitFlag {
  const long = arg.startsWith('--');
  const equals = arg.indexOf('=');
  const bare = arg.slice(long ? 2 : 1, equals < 0 ? undefined : equals);
  const inline = equals < 0 ? undefined : arg.slice(equals + 1);
  if (long) {
    if (!Object.hasOwn(specs, bare)) throw new UsageError(`unknown flag: --${bare}`);
    return { name: bare, inline, shown: `--${bare}` };
  }
  const letter = bare.slice(0, 1);
  const found = Object.entries(specs).find(([, spec]) => spec.short === letter);
  if (found === undefined) throw new UsageError(`unknown shorthand flag: '${letter}' in ${arg}`);
  const attached = bare.length > 1 ? bare.slice(1) + (inline === undefined ? '' : `=${inline}`) : inline;
  return { name: found[0], inline: attached, shown: `-${letter}, --${found[0]}` };
}

function valueOf(spec: FlagSpec, inline: string | undefined, rest: string[], shown: string): string {
  if (spec.kind === 'bool') return checked(spec, inline ?? 'true', shown);
  const value = inline ?? rest.shift();
  if (value === undefined) throw new UsageError(`flag needs an argument: ${shown}`);
  return checked(spec, value, shown);
}

const BOOLS: Record<string, string> = {
  1: 'true',
  t: 'true',
  T: 'true',
  true: 'true',
  TRUE: 'true',
  True: 'true',
  0: 'false',
  f: 'false',
  F: 'false',
  false: 'false',
  FALSE: 'false',
  False: 'false',
};

function checked(spec: FlagSpec, value: string, shown: string): string {
  const refuse = (why: string): UsageError => new UsageError(`invalid argument "${value}" for "${shown}" flag: ${why}`);
  if (spec.kind === 'bool') {
    const good = BOOLS[value];
    if (good === undefined) throw refuse(`strconv.ParseBool: parsing "${value}": invalid syntax`);
    return good;
  }
  if (spec.kind === 'int' && !/^-?\d+$/.test(value)) throw refuse(`strconv.ParseInt: parsing "${value}": invalid syntax`);
  if (spec.kind === 'duration' && parseGoDuration(value) === undefined) throw refuse(`time: invalid duration "${value}"`);
  return value;
}

/** The flag table of a help text. */
export function describeFlags(specs: FlagSpecs): string {
  const rows = Object.entries(specs).map(([name, { kind, short, usage, default: preset }]) => {
    const head = `  ${short === undefined ? '    ' : `-${short}, `}--${name}${kind === 'bool' ? '' : ` ${kind}`}`;
    return [head, `${usage}${preset === undefined || preset === 'false' ? '' : ` (default "${preset}")`}`] as const;
  });
  const width = Math.max(0, ...rows.map(([head]) => head.length)) + 3;
  return rows.map(([head, usage]) => head.padEnd(width) + usage).join('\n');
}

/** Klog's flags, which every Kubernetes program takes. They change nothing here. */
export const LOG_FLAGS: FlagSpecs = {
  v: { kind: 'int', short: 'v', default: '0', usage: 'number for the log level verbosity' },
  vmodule: { kind: 'string', usage: 'comma-separated list of pattern=N settings for file-filtered logging' },
};
