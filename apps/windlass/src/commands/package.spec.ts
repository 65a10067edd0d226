import { RequestError, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { deletePackage } from './package.js';

const ID = 'a2f6cf1a-5d5e-4f0b-9b6e-0c7f3f1f5d11';

/** An API with one package, which notes what it is asked. */
function apiWith(shown: JsonObject, instances: JsonObject[] = [], refusal?: Error) {
  const asked: string[] = [];
  return {
    asked,
    get: <T>() => Promise.resolve(shown as T),
    pages: <T>() => Promise.resolve(instances as T[]),
    patch: <T>(_path: string, body: unknown) => {
      asked.push(JSON.stringify(body));
      return Promise.resolve({} as T);
    },
    delete: () => {
      asked.push('delete');
      return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
    },
  };
}
const DISABLE = '{"operationalState":"DISABLED"}';
const ENABLE = '{"operationalState":"ENABLED"}';

describe('package delete', () => {
  it('disables what is ENABLED, and nothing else', async () => {
    const enabled = apiWith({ operationalState: 'ENABLED', usageState: 'NOT_IN_USE' });
    await deletePackage(enabled, ID);
    expect(enabled.asked).toEqual([DISABLE, 'delete']);
    const created = apiWith({ operationalState: 'DISABLED', usageState: 'NOT_IN_USE' });
    await deletePackage(created, ID);
    expect(created.asked).toEqual(['delete']);
  });

  it('names the instances that use it, and commands that can be followed; nothing was changed', async () => {
    const api = apiWith({ operationalState: 'ENABLED', usageState: 'IN_USE' }, [
      { id: 'one', vnfPkgId: ID, instantiationState: 'INSTANTIATED' },
      { id: 'two', vnfPkgId: ID, instantiationState: 'NOT_INSTANTIATED' },
      { id: 'other', vnfPkgId: 'another', instantiationState: 'INSTANTIATED' },
    ]);
    const refused = await deletePackage(api, ID).catch(String);
    const commands = [...String(refused).matchAll(/\.\/windlass .*/g)].map(String);
    expect(commands).toEqual([
      './windlass vnf terminate one',
      './windlass vnf delete one',
      './windlass vnf delete two',
      `./windlass package delete ${ID}`,
    ]);
    expect(refused).toContain('2 VNF instances use');
    expect(api.asked).toEqual([]);
  });

  it('of what many instances use stays a few lines', async () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ id: `i${n}`, vnfPkgId: ID, instantiationState: 'INSTANTIATED' }));
    const refused = await deletePackage(apiWith({ operationalState: 'ENABLED', usageState: 'IN_USE' }, many), ID).catch(String);
    expect(String(refused).split('\n')).toHaveLength(13);
    expect(refused).toContain('the same for 295 more');
  });

  it('leaves a package ENABLED that an instance came to use meanwhile', async () => {
    const refusal = new RequestError(409, 'vnf-package.in-use', 'IN_USE: delete its VNF instances first');
    const api = apiWith({ operationalState: 'ENABLED', usageState: 'NOT_IN_USE' }, [], refusal);
    await expect(deletePackage(api, ID)).rejects.toBe(refusal);
    expect(api.asked).toEqual([DISABLE, 'delete', ENABLE]);
  });
});
