import { expect, it } from 'vitest';
import { withGrantedZones } from './granted-zones.js';

const desired = { granted: { zones: { worker: 'az2' } } };

it('a VNFC is told with the zone that Nova shows of its server, also where the grant named another that no template asked for', () => {
  const vnfcs = [
    { vduId: 'worker', zone: 'az1' },
    { vduId: 'worker', zone: 'az2' },
    { vduId: 'worker', zone: null },
    { vduId: 'master', zone: 'az1' },
  ];
  expect(withGrantedZones(vnfcs, desired)).toEqual([
    { vduId: 'worker', zone: 'az1', grantedZone: 'az1' },
    { vduId: 'worker', zone: 'az2', grantedZone: 'az2' },
    // Of one that is to come: nobody has seen it.
    { vduId: 'worker', zone: null, grantedZone: 'az2' },
    { vduId: 'master', zone: 'az1' },
  ]);
});
