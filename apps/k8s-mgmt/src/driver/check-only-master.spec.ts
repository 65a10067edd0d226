import type { ValidateRequest } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { healed, INSTANCE, plainParams, script, storageServer, validateRequest, vnfc, withStorage } from '../testing/requests.js';

const SNAPSHOT = { takenAt: '2026-11-26T10:00:00.000Z', master: '10.10.0.24', ca: 'c'.repeat(64) };
const NODES = [vnfc('master', 1, '10.10.0.24'), vnfc('worker', 1, '10.10.0.31')];

/** What is said to a heal of these VNFCs of a cluster of a master and a worker. */
function heal(ids: string[], { snapshot, ...more }: Partial<ValidateRequest> & { snapshot?: typeof SNAPSHOT | undefined } = {}) {
  const params = more.instantiateParams ?? plainParams();
  return bench().driver.validate(
    validateRequest(params, {
      operation: 'HEAL',
      requestParams: {},
      instance: {
        vnfcs: params === more.instantiateParams ? [...NODES, storageServer()] : NODES,
        sharedCps: [],
        affectedVnfcs: [],
        heal: healed('heal_start', ids).heal!,
        ...(snapshot === undefined ? {} : { snapshot }),
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

  it('is refused together with the storage server, whose volumes are seen through it', () => {
    const instantiateParams = withStorage(plainParams());
    expect(heal(['master-1', 'storage'], { snapshot: SNAPSHOT, instantiateParams }).refusal).toMatchObject({
      code: 'cluster.only-master',
      detail: expect.stringMatching(/Heal the master first, and the storage server by a request of its own$/) as string,
    });
    expect(heal(['master-1'], { snapshot: SNAPSHOT, instantiateParams }).refusal).toBeUndefined();
  });
});
