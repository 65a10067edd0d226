import { describe, expect, it } from 'vitest';
import { parseListQuery } from './list-query.js';
import { needsComplexAttributes } from './complex-attributes.js';
import { RESOURCES } from './resources.js';

const needs = (query: Record<string, string>): boolean =>
  needsComplexAttributes(parseListQuery(query, RESOURCES.vnfInstances), RESOURCES.vnfInstances);

describe('what a list leaves out by default', () => {
  it('is needed by nobody who asks for nothing of it', () => {
    for (const query of [{}, { exclude_default: '' }, { fields: 'vnfdId' }, { filter: '(eq,vnfInstanceName,a)' }])
      expect([query, needs(query as Record<string, string>)]).toEqual([query, false]);
    expect(needs({ exclude_fields: RESOURCES.vnfInstances.excludedByDefault.join(',') })).toBe(false);
  });

  it('is needed where any part of it is shown, or filtered by', () => {
    for (const query of [
      { all_fields: '' },
      { fields: 'vnfdId,instantiatedVnfInfo/vnfcResourceInfo' },
      { exclude_default: '', fields: 'metadata' },
      { exclude_fields: 'vnfdId' },
      { exclude_fields: 'metadata,extensions,vnfConfigurableProperties,vimConnectionInfo,instantiatedVnfInfo/flavourId' },
      { filter: '(eq,vnfdId,a);(eq,instantiatedVnfInfo/vnfState,STARTED)' },
    ])
      expect([query, needs(query as Record<string, string>)]).toEqual([query, true]);
  });
});
