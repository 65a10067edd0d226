import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { singleFileVnfd, smallestPackage, zipOf, type PackageFiles } from '@windlass/vnf-package/testing';
import type { AxiosInstance } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica } from '../observability/support/replicas.js';
import { onboardZip, startSystem, type System } from '../support/system.js';
import { signedPackage } from './support/packages.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';

let system: System;

beforeAll(async () => {
  // Signs of life come every five seconds at the latest: what is older is of a dead process.
  system = await startSystem({ lcm: { packages: { abandonedAfter: seconds(12) } } });
});

afterAll(() => system.close());

/** Lines that cost the parser of YAML a second and more on this machine's processors, in one file. */
const LONG = `metadata:\n  list:\n${'    - x\n'.repeat(40_000)}`;

/** A package that imports so many of those. */
function slowPackage(files: number): Buffer {
  const names = Array.from({ length: files }, (_, index) => `slow${index}.yaml`);
  const imported: PackageFiles = Object.fromEntries(names.map((name) => [`Definitions/${name}`, LONG]));
  const imports = `[ etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml, ${names.join(', ')} ]`;
  return zipOf(smallestPackage({ ...imported, 'Definitions/top.yaml': singleFileVnfd({ imports }) }));
}

async function uploaded(api: AxiosInstance, zip: Buffer): Promise<string> {
  const { data } = await api.post<{ id: string }>(PACKAGES, {});
  const path = `${PACKAGES}/${data.id}`;
  const { status } = await api.put(`${path}/package_content`, zip, { headers: { 'Content-Type': 'application/zip' } });
  expect(status).toBe(202);
  return path;
}

const shown = async (path: string): Promise<JsonObject> => (await system.api.get<JsonObject>(path)).data;

/** A replica whose threads have less than others. */
const poorReplica = (user: string, reading: { heapMiB?: number; busy?: number; atOnce?: number }) =>
  startReplica(system, {
    user,
    more: {
      maxPackageBytes: 64 * 1024 * 1024,
      packages: {
        reading: {
          heapMiB: 512,
          busyPerGiB: seconds(1),
          keptIdle: seconds(1),
          atOnce: 1,
          ...reading,
          busy: millis(reading.busy ?? 60_000),
        },
      },
    },
  });

describe('a package that costs much to read', () => {
  it('keeps nobody waiting: others are answered while it is read, and it can be deleted meanwhile', async () => {
    const path = await uploaded(system.api, slowPackage(100));
    let answered = 0;
    for (let looks = 0; looks < 50; looks += 1) {
      if ((await shown(path)).onboardingState === 'PROCESSING') answered += 1;
    }
    expect(answered).toBe(50);
    expect((await system.api.delete(path)).status).toBe(204);
    expect((await system.api.get(path)).status).toBe(404);
    // The thread that read it reads the next one, of which there are as many at a time as there are threads.
    const next = await Promise.all([1, 2, 3].map(() => onboardZip(system.api, signedPackage().zip)));
    expect(next.map(({ onboardingState }) => onboardingState)).toEqual(['ONBOARDED', 'ONBOARDED', 'ONBOARDED']);
  });

  it.each([
    ['memory than there is', { heapMiB: 20 }, /takes more than 20 MiB of memory/],
    ['time than it may', { busy: 6_000 }, /busy for more than 6\.0 s/],
  ])('that needs more %s goes back to CREATED with that reason, and the next one is read', async (_, limits, reason) => {
    const replica = await poorReplica(`poor-${Object.keys(limits).join()}`, limits);
    try {
      const refused = await onboardZip(replica.api, slowPackage(40));
      expect(refused).toMatchObject({
        onboardingState: 'CREATED',
        onboardingFailureDetails: { status: 422, detail: expect.stringMatching(reason) as string },
      });
      expect(await onboardZip(replica.api, signedPackage().zip)).toMatchObject({ onboardingState: 'ONBOARDED' });
    } finally {
      await replica.stop();
    }
  });

  it('that ended two processes is not given to a third', async () => {
    const { id } = await onboardZip(system.api, signedPackage().zip);
    const path = `${PACKAGES}/${String(id)}`;
    const asLeftBy = (deaths: number) =>
      system.database.query(
        `UPDATE package.vnf_package SET onboarding_state = 'PROCESSING', operational_state = 'DISABLED', processing_tries = $2, upload_seen_at = to_timestamp(0) WHERE id = $1`,
        [id, deaths],
      );
    const ended = () =>
      waitUntil(
        async () => {
          const found = await shown(path);
          return found.onboardingState === 'PROCESSING' ? undefined : found;
        },
        { for: 'the package to be taken up', within: seconds(60), every: millis(100) },
      );
    await asLeftBy(1);
    expect(await ended()).toMatchObject({ onboardingState: 'ONBOARDED' });
    await asLeftBy(2);
    expect(await ended()).toMatchObject({
      onboardingState: 'CREATED',
      onboardingFailureDetails: {
        status: 422,
        detail: expect.stringContaining('was begun 2 times and came to no end') as string,
      },
    });
  });
});
