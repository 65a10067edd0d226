import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { minutes } from '@windlass/foundation';
import type { OpenStackClient } from './support/client.js';
import { createdVnf, instantiation, onboarded, operationAt, startClientRig, withFaults, type ClientRig } from './support/rig.js';

const REASON = 'No valid host was found.';

let rig: ClientRig;
let vnfdId: string;
beforeAll(async () => {
  rig = await startClientRig();
  ({ vnfdId } = await onboarded(rig.client));
});
afterAll(() => rig.close());

describe.each([{ version: '1' }, { version: '2' }])('openstack vnflcm op, version $version of the API', ({ version }) => {
  const client = (): OpenStackClient => rig.client.in({ OS_TACKER_API_VERSION: version });

  /** An instantiation that stands at FAILED_TEMP, because the VIM made no server. */
  async function failed(): Promise<{ vnf: string; op: string }> {
    const vnf = await createdVnf(client(), vnfdId);
    withFaults(rig, { kind: 'fail-resource', resource: 'VDU1', stackName: `vnf-${vnf}`, reason: REASON, times: 1 });
    await client().ok('vnflcm', 'instantiate', vnf, await instantiation(client(), version));
    const op = await operationAt(client(), vnf, 'INSTANTIATE', 'FAILED_TEMP');
    expect(await client().show('vnflcm', 'op', 'show', op)).toMatchObject({
      'Operation State': 'FAILED_TEMP',
      Error: { status: 502, detail: expect.stringContaining(REASON) as string },
      Links: { retry: {}, rollback: {}, fail: {} },
    });
    return { vnf, op };
  }

  it('retries', async () => {
    const { vnf, op } = await failed();
    expect(await client().ok('vnflcm', 'op', 'retry', op)).toBe(`Retry request for LCM operation ${op} has been accepted`);
    await operationAt(client(), vnf, 'INSTANTIATE', 'COMPLETED');
    const again = await client().run('vnflcm', 'op', 'retry', op);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('COMPLETED')]);
    await client().ok('vnflcm', 'terminate', '--termination-type', 'FORCEFUL', '--D', vnf);
  });

  it('rolls back', async () => {
    const { vnf, op } = await failed();
    expect(await client().ok('vnflcm', 'op', 'rollback', op)).toBe(`Rollback request for LCM operation ${op} has been accepted`);
    await operationAt(client(), vnf, 'INSTANTIATE', 'ROLLED_BACK');
    await client().ok('vnflcm', 'delete', vnf);
  });

  it('gives up, and shows the operation', async () => {
    const { vnf, op } = await failed();
    expect(await client().show('vnflcm', 'op', 'fail', op)).toMatchObject({
      ID: op,
      'Operation State': 'FAILED',
      'VNF Instance ID': vnf,
      Operation: 'INSTANTIATE',
      'Is Cancel Pending': false,
      Error: { detail: expect.stringContaining(REASON) as string },
    });
    await client().ok('vnflcm', 'delete', vnf);
  });

  // The command is there for version 1 alone. It says that it was accepted and then trips over itself: it is a command that shows something, and has nothing to show.
  if (version === '1')
    it('cancels', async () => {
      const vnf = await createdVnf(client(), vnfdId);
      withFaults(rig, { kind: 'slow-stack', stackName: `vnf-${vnf}`, delayMs: minutes(10), times: 1 });
      await client().ok('vnflcm', 'instantiate', vnf, await instantiation(client(), version));
      const op = await operationAt(client(), vnf, 'INSTANTIATE', 'PROCESSING');
      const cancelled = await client().run('vnflcm', 'op', 'cancel', '--cancel-mode', 'FORCEFUL', op);
      expect(cancelled.stdout).toBe(`Cancel request for LCM operation ${op} has been accepted`);
      expect([cancelled.status, cancelled.stderr]).toEqual([1, 'cannot unpack non-iterable NoneType object']);
      await operationAt(client(), vnf, 'INSTANTIATE', 'FAILED_TEMP');
      await client().ok('vnflcm', 'op', 'rollback', op);
      await operationAt(client(), vnf, 'INSTANTIATE', 'ROLLED_BACK');
      await client().ok('vnflcm', 'delete', vnf);
    });
});
