import { SecretPlaces } from '@windlass/foundation';
import { KUBERNETES_DRIVER } from '@windlass/k8s-mgmt';
import { checkRequest } from '@windlass/lcm-api';
import { OPERATIONS, type LcmOperation } from '@windlass/lifecycle';
import { instanceRecord } from '@windlass/lifecycle/testing';
import { expect, it } from 'vitest';
import { loadSample } from '../crash-points/support/samples.js';

it('a cluster is scaled to a level by the same hooks of the same driver as by steps: what has no such hooks refuses both', async () => {
  const { record } = await loadSample('kubernetes');
  const asked = async (operation: LcmOperation) => {
    const hooksOf: [string, readonly string[]][] = [];
    const definition = { ...OPERATIONS.of(operation), isTaskOf: () => true, checkBeforeDrivers: () => ({}), outlook: () => ({}) };
    await checkRequest(definition, {
      request: {},
      instance: instanceRecord({ id: '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72', vnfPkgId: record.id }),
      package: record,
      flavourId: 'simple',
      lookups: {
        chooseVim: () => Promise.reject(new Error('no VIM is asked for')),
        package: () => Promise.resolve(undefined),
        requireRunnable: () => Promise.resolve(),
        hasVim: () => Promise.resolve(false),
        refuseUsedCluster: () => Promise.resolve(),
      },
      drivers: {
        secrets: { of: () => Promise.resolve(SecretPlaces.none) },
        validate: (name, _tenant, _request, { hooks }) => {
          hooksOf.push([name, hooks]);
          return Promise.resolve({ invalidParams: [], warnings: [], normalised: {} });
        },
      },
    });
    return hooksOf;
  };
  expect(await asked('SCALE_TO_LEVEL')).toEqual([[KUBERNETES_DRIVER, ['scale_start', 'scale_end']]]);
  expect(await asked('SCALE')).toEqual(await asked('SCALE_TO_LEVEL'));
});
