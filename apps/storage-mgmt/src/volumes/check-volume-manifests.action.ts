import {
  checkVolumeManifests,
  cidrContains,
  exportsOver,
  parseCidr,
  parseIpv4,
  type CheckVolumeManifestsInput,
  type DriverPorts,
  type ExportedVolumes,
} from '@windlass/driver-kit';
import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction, type StepRun } from '@windlass/saga';
import { wantedVolumes, type WantedVolume } from './wanted-volumes.js';

/** Names that a message lists. */
const MOST = 10;

type Context = Pick<DriverPorts, 'packages'> & { run: StepRun<CheckVolumeManifestsInput> };

/** A look: it changes nothing, and asks no machine. */
export const checkVolumeManifestsWork = implementAction(checkVolumeManifests, {
  apply: async ({ run, packages }: Context) => {
    const { exported } = run.input;
    const wanted = await wantedVolumes(run.input, packages, run.signal);
    if (exported !== undefined) for (const each of wanted) checkExported(each, exported);
    return undefined;
  },
  stop: () => Promise.resolve(true),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

/** @throws TerminalError `volumes.not-exported`, `volumes.not-exported-to` */
function checkExported({ volume, file }: WantedVolume, { servers, mounts, exports, nodes }: ExportedVolumes): void {
  const { name, path, server } = volume;
  if (!servers.includes(server)) return;
  const what = `the PersistentVolume ${name} (${file} of the package)`;
  const over = exportsOver(path, exports, mounts);
  if (over.length === 0)
    throw new TerminalError(
      'volumes.not-exported',
      `${what} is ${path} of the storage server, which exports ${listed(exports.map(({ directory }) => directory))}: make spec.nfs.path and export_dir the same`,
    );
  const out = nodes.filter(({ addresses }) => !over.some(({ to }) => addresses.some((address) => isAmong(address, to))));
  if (out.length === 0) return;
  const whom = listed(out.map((node) => `${node.name} (${node.addresses.join(', ')})`));
  throw new TerminalError(
    'volumes.not-exported-to',
    `${what} can't be mounted by ${whom}: ${path} is exported to ${listed(over.map(({ to }) => to))}. Give an export_to in which the nodes' addresses lie`,
  );
}

function isAmong(address: string, to: string): boolean {
  const range = parseCidr(to);
  if (range === undefined) return address === to;
  const number = parseIpv4(address);
  return number !== undefined && cidrContains(range, number);
}

const listed = (texts: readonly string[]): string => {
  const all = [...new Set(texts)];
  const more = all.length > MOST ? ` and ${all.length - MOST} more` : '';
  return `${all.slice(0, MOST).join(', ')}${more}`;
};
