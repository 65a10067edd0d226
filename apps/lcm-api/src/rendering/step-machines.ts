import { hostOfLimit } from '@windlass/lifecycle';
import type { ObservedMachine } from '@windlass/persistence';
import type { StepRecord } from '@windlass/saga';

/** A machine as operators know it. */
export interface ShownMachine {
  vnfcId: string;
  /** What the steps of the operation call it, such as the name of the cluster's node; else the server's name at the VIM. */
  name: string;
  /** The first address of its first CP that has one; null where none is known. */
  address: string | null;
}

/** The machines that a step works on. */
export interface StepMachines {
  /** {@link MOST_MACHINES} at most. */
  machines: ShownMachine[];
  machineCount: number;
  /**
   * On which of them it failed: the one that it works on, or those of several that its error names. Empty without an error, and where the error tells
   * of none. {@link MOST_MACHINES} at most.
   */
  failedOn: ShownMachine[];
}

/** Machines that are named of a step that works on hundreds. */
export const MOST_MACHINES = 8;

type Known = Pick<StepRecord, 'id' | 'target' | 'limitKeys' | 'error'>;

const NONE: StepMachines = { machines: [], machineCount: 0, failedOn: [] };

const addressesOf = ({ cps }: ObservedMachine): string[] =>
  cps.flatMap(({ addresses, floatingIp }) => [...addresses, ...(floatingIp === null ? [] : [floatingIp])]);

/**
 * The machines of each step, by the step's id: those under whose limits (`host:`) it runs, else the one whose address is its target. Pure.
 * @param known the machines of the operation and of its instance
 */
export function stepMachines(steps: readonly Known[], known: readonly ObservedMachine[]): (stepId: string) => StepMachines {
  if (known.length === 0) return () => NONE;
  const byId = new Map([
    ...known.map((machine) => [machine.id, machine] as const),
    ...known.map((each) => [each.resourceId, each] as const),
  ]);
  const byAddress = new Map(known.flatMap((machine) => addressesOf(machine).map((address) => [address, machine] as const)));
  const limited = new Map(steps.map((step) => [step.id, limitedTo(step, byId)]));
  const names = namesOf(steps, limited);
  const shown = (machine: ObservedMachine): ShownMachine => ({
    vnfcId: machine.id,
    name: names.get(machine) ?? machine.name,
    address: addressesOf(machine)[0] ?? null,
  });
  const of = new Map(
    steps.map((step) => {
      const own = limited.get(step.id) ?? [];
      const at = own.length === 0 && step.target !== null ? byAddress.get(step.target) : undefined;
      const all = at === undefined ? own : [at];
      const failed = failedOn(step, all, known, names);
      const first = [...failed, ...all.filter((machine) => !failed.includes(machine))].slice(0, MOST_MACHINES);
      const machines = (failed.length > 0 && all.length === 0 ? [] : first).map(shown);
      return [step.id, { machines, machineCount: all.length, failedOn: failed.slice(0, MOST_MACHINES).map(shown) }];
    }),
  );
  return (stepId) => of.get(stepId) ?? NONE;
}

/** A driver counts its steps by the machine's id at the VIM or by its VNFC's; they are counted with the instance's id before it. */
function limitedTo({ limitKeys }: Known, byId: ReadonlyMap<string, ObservedMachine>): ObservedMachine[] {
  const found = limitKeys.flatMap((key) => {
    const host = hostOfLimit(key);
    return host === undefined ? [] : (byId.get(host.slice(host.indexOf('/') + 1)) ?? []);
  });
  return [...new Set(found)];
}

/** What the steps on one machine alone call it, where all say the same. An address among the words is no name: it is told beside it. */
function namesOf(
  steps: readonly Known[],
  limited: ReadonlyMap<string, readonly ObservedMachine[]>,
): ReadonlyMap<ObservedMachine, string> {
  const called = new Map<ObservedMachine, Set<string>>();
  for (const { id, target } of steps) {
    const [machine, ...others] = limited.get(id) ?? [];
    if (machine === undefined || others.length > 0 || target === null || target === '') continue;
    if (addressesOf(machine).some((address) => target.includes(address))) continue;
    called.set(machine, (called.get(machine) ?? new Set()).add(target));
  }
  return new Map(
    [...called].flatMap(([machine, [name, ...more]]) => (name === undefined || more.length > 0 ? [] : [[machine, name]])),
  );
}

/**
 * What is to be looked at. An error of a step on one machine is that machine's, whatever others it names (`kubeadm join` names a master). Of a step on
 * none the error may tell an address or an id; a name there may be that of a resource which was to come.
 */
function failedOn(
  { error }: Known,
  own: readonly ObservedMachine[],
  known: readonly ObservedMachine[],
  names: ReadonlyMap<ObservedMachine, string>,
): ObservedMachine[] {
  if (error === null) return [];
  if (own.length === 1) return [...own];
  const isAmongOwn = own.length > 0;
  const words = (machine: ObservedMachine): string[] => {
    const name = names.get(machine);
    return [machine.resourceId, ...addressesOf(machine), ...(isAmongOwn && name !== undefined ? [name] : [])];
  };
  const said = wordsOf(error.detail);
  return (isAmongOwn ? own : known).filter((machine) => words(machine).some((word) => said.has(word)));
}

/** The words of a text, also without what may stand around or behind an address: `user@10.0.0.4:22`, `[fd00::4]`. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.slice(0, LOOKED_AT).split(/[\s,;"'()[\]<>=/@]+/);
  return new Set(
    words.flatMap((word) => {
      const bare = withoutEnd(word, '.:');
      const beforePort = withoutEnd(bare, '0123456789');
      return [word, bare, ...(beforePort.endsWith(':') ? [withoutEnd(beforePort, ':')] : [])];
    }),
  );
}

/** A word without these characters at its end. One look at each of them. */
function withoutEnd(word: string, characters: string): string {
  let end = word.length;
  while (end > 0 && characters.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/** Characters of an error that are looked through. */
const LOOKED_AT = 20_000;
