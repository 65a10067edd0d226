import type { ValidateRequest } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../../testing/bench.js';
import {
  healed,
  INSTANCE,
  plainParams,
  script,
  storageServer,
  validateRequest,
  vnfc,
  withStorage,
} from '../../testing/requests.js';

const SNAPSHOT = { takenAt: '2026-11-26T10:00:00.000Z', master: '10.10.0.24', ca: 'c'.repeat(64) };
const NODES = [vnfc('master', 1, '10.10.0.24'), vnfc('worker', 1, '10.10.0.31')];

const OLDER = { id: '6f0d1c9e-2a51-4c1d-8a5b-3f8f6a1e7d20', sha256: 'a'.repeat(64), takenAt: '2026-11-25T09:00:00.000Z' };
const KEPT = [
  { ...SNAPSHOT, id: 'e1a7a2b4-7d61-4b5e-9a52-0c1d7f3b9e11', sha256: 'b'.repeat(64) },
  { ...SNAPSHOT, ...OLDER },
];

interface Asked extends Partial<ValidateRequest> {
  snapshot?: typeof SNAPSHOT | undefined;
  snapshots?: typeof KEPT;
  whole?: boolean;
}

/** What is said to a heal of these VNFCs of a cluster of a master and a worker. */
function heal(ids: string[], { snapshot, snapshots, whole = false, ...more }: Asked = {}) {
  const params = more.instantiateParams ?? plainParams();
  return bench().driver.validate(
    validateRequest(params, {
      operation: 'HEAL',
      requestParams: {},
      instance: {
        vnfcs: params === more.instantiateParams ? [...NODES, storageServer()] : NODES,
        sharedCps: [],
        affectedVnfcs: [],
        heal: { ...healed('heal_start', ids).heal!, whole },
        ...(snapshot === undefined ? {} : { snapshot }),
        ...(snapshots === undefined ? {} : { snapshots }),
      },
      ...more,
      instantiateParams: params,
    }),
  );
}

describe('a request to heal the only master', () => {
  it('is taken where a snapshot of the cluster as it is now is kept, and warns of what is lost', () => {
    for (const ids of [['master-1'], ['master-1', 'worker-1']]) {
      const reply = heal(ids, { snapshot: SNAPSHOT });
      expect(reply).toMatchObject({ invalidParams: [] });
      expect(reply.refusal).toBeUndefined();
      expect(reply.warnings).toEqual([
        expect.stringMatching(
          /made again of a snapshot, the newest that is kept \(2026-11-26T10:00:00\.000Z\).*after it is lost/,
        ),
      ]);
    }
  });

  it('is refused without one, with what to do', () => {
    expect(heal(['master-1']).refusal).toEqual({
      code: 'cluster.only-master',
      detail: expect.stringMatching(
        new RegExp(
          `no snapshot of the cluster as it is registered is kept.*\\./windlass vnf snapshots ${INSTANCE}.*heal the whole`,
        ),
      ) as string,
    });
  });

  it('is refused where a script of the package made the cluster, snapshot or not', () => {
    expect(heal(['master-1'], { snapshot: SNAPSHOT, files: [script('#!/bin/bash')] }).refusal).toMatchObject({
      code: 'cluster.only-master',
      detail: expect.stringMatching(/a script of the package made it.*restore it by hand/) as string,
    });
  });

  it.each([{}, { snapshot: OLDER.id }])(
    'is refused where its port has another address than the snapshot’s master had (%j)',
    (requestParams) => {
      const master = '10.10.0.99';
      const snapshots = KEPT.map((each) => ({ ...each, master }));
      expect(heal(['master-1'], { snapshot: { ...SNAPSHOT, master }, snapshots, requestParams }).refusal).toEqual({
        code: 'cluster.only-master',
        detail: expect.stringMatching(
          /is of the master at 10\.10\.0\.99, and .* has 10\.10\.0\.24 by the record.*openstack port set --fixed-ip.*or heal the whole/,
        ) as string,
      });
    },
  );

  it('is refused together with the storage server, whose volumes are seen through it', () => {
    const instantiateParams = withStorage(plainParams());
    expect(heal(['master-1', 'storage'], { snapshot: SNAPSHOT, instantiateParams }).refusal).toMatchObject({
      code: 'cluster.only-master',
      detail: expect.stringMatching(/Heal the master first, and the storage server by a request of its own$/) as string,
    });
    expect(heal(['master-1'], { snapshot: SNAPSHOT, instantiateParams }).refusal).toBeUndefined();
  });
});

describe('a request that names the snapshot of the only master', () => {
  const asked = { snapshot: SNAPSHOT, snapshots: KEPT };
  const AT = '/additionalParams/snapshot';

  it.each([OLDER.id, OLDER.sha256])('by %s is taken, and says from when it is', (snapshot) => {
    const reply = heal(['master-1'], { ...asked, requestParams: { snapshot } });
    expect(reply).toMatchObject({ invalidParams: [], normalised: { snapshot: OLDER.sha256 } });
    expect(reply.warnings).toEqual([
      expect.stringMatching(/of the snapshot of 2026-11-25T09:00:00\.000Z, and none is taken before/),
    ]);
  });

  it('is refused where none of that name is kept, with those that are', () => {
    const reply = heal(['master-1'], { ...asked, requestParams: { snapshot: 'c0ffee' } });
    expect(reply.invalidParams).toEqual([
      {
        path: AT,
        reason: expect.stringMatching(new RegExp(`no snapshot c0ffee .* kept: ${KEPT[0]!.id} of .*, ${OLDER.id} of`)) as string,
      },
    ]);
  });

  it.each([
    ['a worker', { ids: ['worker-1'], whole: false }],
    ['the whole', { ids: ['master-1', 'worker-1'], whole: true }],
  ])('is refused where %s is healed', (_what, { ids, whole }) => {
    expect(heal(ids, { ...asked, whole, requestParams: { snapshot: OLDER.id } }).invalidParams).toEqual([
      { path: AT, reason: expect.stringMatching(/this request heals none: name that VNFC in vnfcInstanceId/) as string },
    ]);
  });

  it('is refused where the core that asks names none', () => {
    const reply = heal(['master-1'], { snapshot: SNAPSHOT, requestParams: { snapshot: OLDER.id } });
    expect(reply.invalidParams).toMatchObject([
      { path: AT, reason: expect.stringMatching(/kept: none that can be named$/) as string },
    ]);
  });
});
