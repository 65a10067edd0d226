import { describe, expect, it } from 'vitest';
import { driverLine } from './driver-list.js';

const driver = {
  name: 'mgmt-drivers-kubernetes',
  service: 'k8s-mgmt',
  version: '0.1.0',
  contract: 2,
  hooks: ['instantiate_end', 'terminate_start'],
  announcedAt: '2026-11-22T14:00:00.000Z',
  announcedBy: 'the-key',
};

describe('a line of "windlass driver list"', () => {
  it('says what a driver is, when it said so, and by which key', () => {
    expect(driverLine(driver)).toBe(
      'mgmt-drivers-kubernetes  of k8s-mgmt  version 0.1.0  instantiate_end,terminate_start  announced 2026-11-22T14:00:00.000Z by key the-key',
    );
  });

  it('says of a driver that only offers actions that it has no hooks', () => {
    expect(driverLine({ ...driver, hooks: [] })).toMatch(/  version 0\.1\.0  no hooks  announced /);
  });

  it('says what to do with a driver of version 1 of the contract', () => {
    expect(driverLine({ ...driver, contract: 1, announcedBy: null })).toMatch(
      /contract 1: refused, rebuild it \(docs\/contracts\/mgmt-driver\.md\).* by key \(none\)$/,
    );
  });
});
