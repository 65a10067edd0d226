import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crashSuite, driverContractSuite, undoSuite, validateRequestOf } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { noticeParts } from './product/service.js';
import { bench, hook, paramsFor, PASSWORD, TEXT } from './support.js';

const flavour = { id: 'simple', vdus: ['node'], cps: [{ id: 'CP1', vdu: 'node' }], aspects: [], mostVnfcs: { node: 1 } };

driverContractSuite('the sample', {
  parts: noticeParts,
  params: paramsFor('CP1'),
  secrets: [PASSWORD],
  request: validateRequestOf({ flavour }),
  hooks: [hook],
});

crashSuite('the sample', {
  bench,
  stands: ({ notices }) => {
    expect(Object.fromEntries(notices)).toEqual({ 'server-a': TEXT, 'server-b': TEXT });
  },
});

undoSuite('the sample', { bench, left: { 'write-notice:a': ({ notices }) => notices.get('server-a') } });

describe('the sample', () => {
  it('is a whole driver in fewer than 150 lines', () => {
    const folder = join(import.meta.dirname, 'product');
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'));
    expect(lines.length).toBeLessThan(150);
  });

  it('refuses a CP that the VNFD does not have, with its path', () => {
    const request = validateRequestOf({ flavour, requestParams: paramsFor('CP9') });
    expect(noticeParts.driver.validate(request).invalidParams).toEqual([
      { path: '/additionalParams/notice/ssh_cp_name', reason: 'flavour simple has no CP CP9 (did you mean CP1?); it has CP1' },
    ]);
  });
});
