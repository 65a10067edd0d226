import { HealVnfRequestBody, validateBody } from '@windlass/sol003';
import { describe, expect, it } from 'vitest';
import { healBody } from './vnf-heal.js';

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
