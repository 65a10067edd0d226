import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { hours, InvariantError, TerminalError, type JsonObject } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import type { ApiClient, StepView, Surroundings } from '@windlass/windlass';
import { registerLab } from '../../lab/register-lab.js';
import { rounded } from '../figures.js';
import { machine, type Machine } from '../machine.js';
import { INSTANCES } from '../operations.js';
import { usageOf } from '../processes.js';
import { NETWORK, setGround, type Ground } from '../stage.js';
import { imageBytes } from './image-bytes.js';
import { writeImagePackage } from './image-package.js';
import { plainCopy } from './plain-copy.js';

export interface PackageBenchOptions {
  /** Of the image, inflated, in bytes. */
  size: number;
  say: (line: string) => void;
  signal: AbortSignal;
}

/** What `bench package --json` writes. Times are milliseconds. */
export interface PackageReport {
  bench: 'package';
  at: string;
  machine: Machine;
  /** Bytes of the image, and of the package that holds it deflated. */
  imageSize: number;
  packageSize: number;
  /** From the request to its answer, when every byte is in PostgreSQL. */
  upload: number;
  /** From that answer until the package is ONBOARDED: verified and hashed. */
  onboarding: number;
  /** The step `share-image`: from its claim until Glance has the image and its hash was compared. */
  toGlance: number;
  /** The same bytes over one HTTP request into a file. */
  plainPackage: number;
  plainImage: number;
  /** Resident memory in MiB, before the upload and at most. */
  memory: Record<string, { before: number; peak: number }>;
}

const WITHIN = hours(2);
const WATCHED = ['lcm-api', 'infra-driver'];

/** Takes a package with a large deflated image in, brings the image to an OpenStack in this process, and copies the same bytes without Windlass. */
export async function packageBench({ home }: Surroundings, { size, say, signal }: PackageBenchOptions): Promise<PackageReport> {
  const measuredOn = machine();
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-bench-package-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'package.zip');
    say('making the package');
    const packageSize = await writeImagePackage(home, size, file);
    signal.throwIfAborted();
    say('the plain copies');
    const plainPackage = await plainCopy(createReadStream(file), packageSize, folder);
    const plainImage = await plainCopy(Readable.from(imageBytes(size), { objectMode: false }), size, folder);
    signal.throwIfAborted();
    say('starting PostgreSQL, NATS, an OpenStack that answers at once, and the services');
    const emulator = await OpenStackEmulator.start({ speed: 'instant' });
    ends.push(() => emulator.stop());
    const ground = await setGround({ home, oneProcess: false, durable: true, say: () => undefined, signal });
    ends.push(() => ground.stop());
    await registerLab(ground.api, { keystoneUrl: emulator.url, ...emulator.tenant });
    const measured = await throughWindlass(ground, home, file, { say, signal });
    return {
      bench: 'package',
      at: new Date().toISOString(),
      machine: measuredOn,
      imageSize: size,
      packageSize,
      plainPackage: rounded(plainPackage),
      plainImage: rounded(plainImage),
      ...measured,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

type Measured = Pick<PackageReport, 'upload' | 'onboarding' | 'toGlance' | 'memory'>;

async function throughWindlass(
  { api, watched }: Ground,
  home: string,
  file: string,
  { say, signal }: Pick<PackageBenchOptions, 'say' | 'signal'>,
): Promise<Measured> {
  const before = usageOf(watched);
  say('the upload');
  const began = performance.now();
  const packageId = await api.upload(file);
  const stored = performance.now();
  signal.throwIfAborted();
  const { vnfdId } = await api.onboarded(packageId, WITHIN);
  const onboarded = performance.now();
  say('the image to Glance');
  const toGlance = await uploadImage(api, home, vnfdId, signal);
  const after = usageOf(watched);
  return {
    upload: rounded(stored - began),
    onboarding: rounded(onboarded - stored),
    toGlance,
    memory: Object.fromEntries(
      WATCHED.map((name) => [name, { before: before[name]?.resident ?? 0, peak: after[name]?.peak ?? 0 }]),
    ),
  };
}

/** Instantiates the package; how long the step took that brings its image to Glance, in milliseconds. */
async function uploadImage(api: ApiClient, home: string, vnfdId: unknown, signal: AbortSignal): Promise<number> {
  const body = await readFile(join(home, 'samples/requests/instantiate-simple-vm.json'), 'utf8');
  const { id } = await api.post<{ id: string }>(INSTANCES, { vnfdId });
  const request = JSON.parse(body.replaceAll('${NETWORK_ID}', NETWORK)) as JsonObject;
  const operation = await api.accept(`${INSTANCES}/${id}/instantiate`, request);
  let steps: readonly StepView[] = [];
  const opOcc = await api.follow(operation, WITHIN, (seen) => (steps = seen), signal);
  if (opOcc.operationState !== 'COMPLETED')
    throw new TerminalError('bench.failed', `the instantiation is not COMPLETED: ${JSON.stringify(opOcc.error ?? null)}`);
  const step = steps.find(({ action }) => action === 'share-image');
  if (typeof step?.startedAt !== 'string' || step.endedAt === null)
    throw new InvariantError('a completed instantiation has no step share-image that has ended');
  return Date.parse(step.endedAt) - Date.parse(step.startedAt);
}
