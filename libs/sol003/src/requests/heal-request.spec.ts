import { describe, expect, it } from 'vitest';
import { validateBody } from '../validation/validate-body.js';
import { HealVnfRequestBody } from './lifecycle.js';

const refusal = (body: object): unknown => {
  try {
    validateBody(HealVnfRequestBody, body as never);
  } catch (error) {
    return (error as { invalidParams: unknown }).invalidParams;
  }
  return 'taken';
};

describe('a heal request', () => {
  it.each([{}, { cause: 'x' }, { vnfcInstanceId: ['a'] }, { additionalParams: { all: false } }])('takes %j', (body) => {
    expect(refusal(body)).toBe('taken');
  });

  it('is refused for an empty list of VNFCs, which must not be taken for the whole VNF', () => {
    expect(refusal({ vnfcInstanceId: [] })).toMatchObject([{ path: '/vnfcInstanceId' }]);
  });

  it.each(['all', 'tacker_extension_heal_include_block_storage'])('is refused for %s that is no boolean, at its path', (name) => {
    expect(refusal({ additionalParams: { [name]: 'true' } })).toMatchObject([{ path: `/additionalParams/${name}` }]);
  });
});
