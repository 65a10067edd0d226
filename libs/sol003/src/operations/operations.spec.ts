import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LCM_OPERATION_TYPES, LCM_OPERATION_TYPES_V2, OFFERED_OPERATIONS, taskOf, vnfdOperationOf } from './operations.js';

const ETSI = new URL('../schemas/etsi/SOL003/VNFLifecycleManagement-API/VnfLcmOpOcc.schema.json', import.meta.url);
const { properties } = JSON.parse(readFileSync(ETSI, 'utf8')) as { properties: { operation: { enum: string[] } } };

describe('the rows of operations', () => {
  it('are those that ETSI’s schema of 2.6.1 lists, in its order; 3.3.1 adds one', () => {
    expect(LCM_OPERATION_TYPES).toEqual(properties.operation.enum);
    expect(LCM_OPERATION_TYPES_V2).toEqual([...properties.operation.enum, 'CHANGE_VNFPKG']);
  });

  it('have names of their own: no two operations share a task, a link or a name in VNFDs', () => {
    const tasks = LCM_OPERATION_TYPES.flatMap((operation) => taskOf(operation) ?? []);
    for (const names of [tasks.map(({ task }) => task), tasks.map(({ link }) => link), OFFERED_OPERATIONS.map(vnfdOperationOf)])
      expect(new Set(names).size).toBe(names.length);
  });

  it('have a task each, but for the one that a PATCH of the instance asks for', () => {
    expect(LCM_OPERATION_TYPES.filter((operation) => taskOf(operation) === undefined)).toEqual(['MODIFY_INFO']);
  });
});
