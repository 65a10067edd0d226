import { rounded } from '../figures.js';
import type { CpuProfile } from './cpu-profile.js';
import { withOwnSources } from './own-sources.js';

/** Where the time of a service goes: milliseconds an operation, and their share of the service's. */
export interface TimeSpent {
  /** Project and folder of ours, `pg`, `node:net`, `(garbage collector)`. */
  of: string;
  /** In its own functions. */
  own: number;
  /** Of a folder of ours: with all that it calls outside of our code, which is not ours. */
  withCalled: number;
  share: number;
}

/** What is not time that the process takes. */
const NOT_WORK = ['(idle)', '(root)'];

/** V8's inspector, which begins and ends the profile in the process itself: a native function of this name, and no work of a service's. */
const isInspector = ({ functionName, url }: { functionName: string; url: string }): boolean =>
  functionName === 'dispatch' && url === '';

/** Where a function is: our package and the first folder in it, the package of somebody else's, or the module of Node. */
export function placeOf({ functionName, url }: { functionName: string; url: string }): string {
  if (url === '') return functionName.startsWith('(') ? functionName : NATIVE;
  if (url.startsWith('node:')) return /^node:(internal\/)?[^/]+/.exec(url)?.[0] ?? url;
  const theirs = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (theirs !== undefined) return theirs;
  const [, project, inside = ''] = /\/((?:apps|libs)\/[^/]+)\/(?:dist|src)\/(.*)$/.exec(url) ?? [];
  if (project === undefined) return 'elsewhere';
  const [folder, ...more] = inside.split('/');
  return more.length === 0 ? project : `${project}/${folder ?? ''}`;
}

const NATIVE = '(native)';
const isOurs = (place: string): boolean => /^(apps|libs)\//.test(place);
/** What no function of ours has called: an event that Node has handed to a package. */
export const NOBODY = '(events, before our code)';

/**
 * Where time goes, by looks at the stack: the share of the looks, of the processor time that the process takes. A native function is its caller's, and one of a
 * file that was built of others is the source's ({@link withOwnSources}).
 * @param milliseconds of processor time an operation
 */
export function timeSpent(profile: CpuProfile, milliseconds: number): TimeSpent[] {
  const { nodes, samples = [] } = withOwnSources(profile);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const above = (id: number, fits: (place: string) => boolean): string | undefined => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      const place = node === undefined ? undefined : placeOf(node.callFrame);
      if (place !== undefined && fits(place)) return place;
    }
    return undefined;
  };
  const [own, withCalled] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, place: string, n: number): void => void to.set(place, (to.get(place) ?? 0) + n);
  let looks = 0;
  for (const [id, n] of countsOf(samples)) {
    const look = byId.get(id);
    if (look !== undefined && isInspector(look.callFrame)) continue;
    const top = above(id, (place) => place !== NATIVE) ?? NATIVE;
    if (NOT_WORK.includes(top)) continue;
    looks += n;
    add(own, top, n);
    add(withCalled, top.startsWith('(') ? top : (above(id, isOurs) ?? NOBODY), n);
  }
  const each = (n: number | undefined): number => rounded(((n ?? 0) / Math.max(1, looks)) * milliseconds);
  return [...new Set([...own.keys(), ...withCalled.keys()])]
    .map((of) => ({
      of,
      own: each(own.get(of)),
      withCalled: each(withCalled.get(of)),
      share: rounded((own.get(of) ?? 0) / Math.max(1, looks)),
    }))
    .sort((one, other) => Math.max(other.own, other.withCalled) - Math.max(one.own, one.withCalled));
}

function countsOf(samples: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
