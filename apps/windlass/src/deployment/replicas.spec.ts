import { describe, expect, it } from 'vitest';
import { processNames, replicasOf, replicasOfEach } from './replicas.js';

describe('--replicas', () => {
  it('says how many processes a service has, and names them', () => {
    const replicas = replicasOf(['infra-driver=3', 'saga-coordinator=2']);
    expect(replicas).toEqual({ 'infra-driver': 3, 'saga-coordinator': 2 });
    expect(processNames('infra-driver', replicas)).toEqual(['infra-driver', 'infra-driver-2', 'infra-driver-3']);
    expect(processNames('k8s-mgmt', replicas)).toEqual(['k8s-mgmt']);
  });

  it.each([
    ['infra-driver', /expected SERVICE=NUMBER/],
    ['infra-driver=0', /a number from 1 to 20/],
    ['infra-driver=21', /a number from 1 to 20/],
    ['infra-driver=1e1', /expected SERVICE=NUMBER/],
    ['nova=2', /no service nova; there are saga-coordinator/],
    ['lcm-api=2', /one address/],
  ])('refuses %s and says what to do', (given, words) => {
    expect(() => replicasOf([given])).toThrow(words);
  });

  it('refuses a service that is named twice', () => {
    expect(() => replicasOf(['infra-driver=2', 'infra-driver=3'])).toThrow(/twice/);
  });

  it('of each leaves the API alone', () => {
    expect(replicasOfEach(3)).toMatchObject({ 'saga-coordinator': 3, 'infra-driver': 3 });
    expect(replicasOfEach(3)).not.toHaveProperty('lcm-api');
  });
});
