import { HEAL_BLOCK_STORAGE as READ_BY_THE_API, HealVnfRequestBody, validateBody } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';
import { HEAL_BLOCK_STORAGE, healBody, mayDelete } from './vnf-heal.js';

const STORAGE = 'tacker_extension_heal_include_block_storage';

describe('the request of vnf heal', () => {
  it.each([
    [{ vnfc: [] }, {}],
    [
      { vnfc: ['a'], cause: 'hangs' },
      { vnfcInstanceId: ['a'], cause: 'hangs' },
    ],
    [
      { vnfc: ['a'], keepVolumes: true },
      { vnfcInstanceId: ['a'], additionalParams: { [STORAGE]: false } },
    ],
    [
      { vnfc: ['a'], replaceVolumes: true },
      { vnfcInstanceId: ['a'], additionalParams: { [STORAGE]: true } },
    ],
    [{ vnfc: [], everyVm: true }, { additionalParams: { all: false } }],
    [{ vnfc: [], everyVm: true, replaceVolumes: true }, { additionalParams: { all: false, [STORAGE]: true } }],
  ] as const)('with %j is %j, which the API takes, and says of volumes what was said', (options, body) => {
    const made = healBody({ ...options, vnfc: [...options.vnfc] });
    expect(made).toEqual(body);
    expect(validateBody(HealVnfRequestBody, made)).toMatchObject(body);
  });
});

describe('the additionalParams of a file', () => {
  const params = { worker_node_password: 'p', all: true, [STORAGE]: false };

  it('are those of the request', () => {
    expect(healBody({ vnfc: ['a'], snapshot: 'b' })).toEqual({ vnfcInstanceId: ['a'], additionalParams: { snapshot: 'b' } });
    expect(healBody({ vnfc: ['a'] }, params)).toEqual({ vnfcInstanceId: ['a'], additionalParams: params });
  });

  it('give way to what another option says', () => {
    expect(healBody({ vnfc: [], everyVm: true, replaceVolumes: true }, params).additionalParams).toEqual({
      worker_node_password: 'p',
      all: false,
      [STORAGE]: true,
    });
  });
});

describe('volumes that a heal would delete', () => {
  const volumes = ['data (4711)', 'images (4712)'];
  const refuses = () => Promise.resolve(false);
  const agrees = () => Promise.resolve(true);

  it('go only by the option that says so: without it nothing is asked for, and each is named', async () => {
    const refused = mayDelete(volumes, {}, agrees);
    await expect(refused).rejects.toThrow(
      /2 volumes .*: data \(4711\), images \(4712\)\. Nothing was asked for: --replace-volumes/,
    );
    await expect(mayDelete(['data (4711)'], { yes: true }, undefined)).rejects.toThrow(/a volume with all that is on it: data/);
  });

  it('go on a terminal only after it was asked again, and elsewhere, or with --yes, at once', async () => {
    expect(await mayDelete(volumes, { replaceVolumes: true }, refuses)).toBe(false);
    expect(await mayDelete(volumes, { replaceVolumes: true }, agrees)).toBe(true);
    expect(await mayDelete(volumes, { replaceVolumes: true, yes: true }, refuses)).toBe(true);
    expect(await mayDelete(volumes, { replaceVolumes: true }, undefined)).toBe(true);
  });

  it('are not asked about where there are none', async () => {
    expect(await mayDelete([], {}, refuses)).toBe(true);
  });
});

describe('the name of the parameter that lets volumes go', () => {
  it('is the one that the API reads', () => {
    expect(HEAL_BLOCK_STORAGE).toBe(READ_BY_THE_API);
  });
});
