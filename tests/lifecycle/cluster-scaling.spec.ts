import { SecretPlaces } from '@windlass/foundation';
import { KUBERNETES_DRIVER } from '@windlass/k8s-mgmt';
import { checkRequest } from '@windlass/lcm-api';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { instanceRecord } from '@windlass/lifecycle/testing';
import type { Hook } from '@windlass/mgmt-driver';
import { expect, it } from 'vitest';
import { loadSample } from '../crash-points/support/samples.js';

/** What the drivers of the sample cluster are asked, each with the hooks that it is asked for. */
async function asked(operation: LcmOperation, flavourId = 'simple', { without = [] }: { without?: Hook[] } = {}) {
  const { record: whole } = await loadSample('kubernetes');
  const record = structuredClone(whole);
  for (const flavour of record.model.flavours)
    flavour.lcmBindings = Object.fromEntries(
      Object.entries(flavour.lcmBindings).filter(([hook]) => !(without as string[]).includes(hook)),
    );
  const questions: { driver: string; hooks: readonly string[]; apart: readonly string[] | undefined }[] = [];
  const definition = {
    ...OPERATIONS.of(operation),
    isTaskOf: () => true,
    checkBeforeDrivers: () => ({}),
    checkAfterDrivers: () => [],
    effect: () => ({}),
  };
  await checkRequest(definition, {
    request: {},
    instance: instanceRecord({ id: '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72', vnfPkgId: record.id }),
    package: record,
    flavourId,
    lookups: {
      chooseVim: () => Promise.reject(new Error('no VIM is asked for')),
      package: () => Promise.resolve(undefined),
      requireRunnable: () => Promise.resolve(),
      vimKindOf: () => Promise.resolve(undefined),
      registeredVim: () => Promise.reject(new Error('no request says anything of a VIM')),
      refuseUsedCluster: () => Promise.resolve(),
      packagedText: () => Promise.reject(new Error('no manifest is read')),
    },
    drivers: {
      secrets: { of: () => Promise.resolve(SecretPlaces.none) },
      validate: (driver, _tenant, { flavour: { apart } }, { hooks }) => {
        questions.push({ driver, hooks, apart });
        return Promise.resolve({ invalidParams: [], warnings: [], normalised: {} });
      },
    },
  });
  return questions;
}

it('a cluster is scaled to a level by the same hooks of the same driver as by steps: what has no such hooks refuses both', async () => {
  const hooks = ['scale_start', 'scale_end'];
  expect(await asked('SCALE_TO_LEVEL')).toEqual([{ driver: KUBERNETES_DRIVER, hooks, apart: [] }]);
  expect(await asked('SCALE')).toEqual(await asked('SCALE_TO_LEVEL'));
});

it('the driver is told which VDUs the templates keep on hosts apart, so that it can ask for the hosts to be seen', async () => {
  expect(await asked('SCALE', 'podaffinity')).toMatchObject([{ apart: ['masterNode', 'workerNode'] }]);
  expect(await asked('SCALE', 'complex')).toMatchObject([{ apart: [] }]);
});

it('a cluster that is connected otherwise or scaled has its driver asked, also where its package binds no hook of that, which is told', async () => {
  const hooks: Hook[] = ['change_external_connectivity_start', 'change_external_connectivity_end'];
  expect(await asked('CHANGE_EXT_CONN')).toMatchObject([{ driver: KUBERNETES_DRIVER, hooks }]);
  expect(await asked('CHANGE_EXT_CONN', 'simple', { without: hooks })).toMatchObject([{ driver: KUBERNETES_DRIVER, hooks: [] }]);
  for (const scaling of ['SCALE', 'SCALE_TO_LEVEL'] as const)
    expect(await asked(scaling, 'simple', { without: ['scale_start', 'scale_end'] })).toMatchObject([
      { driver: KUBERNETES_DRIVER, hooks: [] },
    ]);
});
