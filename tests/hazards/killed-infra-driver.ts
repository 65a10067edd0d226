import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { killHard, stackNameOf, type Rig } from './support/rig.js';

/** How long the VIM takes: the kill comes in the middle, also on a machine that pauses for some seconds, and the killed worker's lease ends before the VIM is done. */
const MIDDLE = seconds(8);

/** The first connection point of the sample on another network. */
const TO_NET1 = {
  extVirtualLinks: [
    {
      id: 'other',
      resourceId: 'net1',
      extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
    },
  ],
};

export function killedInfraDriver(rigOf: () => Rig): void {
  describe('kill -9 of infra-driver', () => {
    it('in the middle of OPERATE and of CHANGE_EXT_CONN keeps neither from completing: each is asked of the VIM once', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const service = rig.service('infra-driver');
      const vnf = await rig.createVnf();
      await rig.completed(await rig.instantiate(vnf));

      rig.emulator.faults.add({ kind: 'slow-power', delayMs: MIDDLE, times: 1 });
      const stops = (): number => rig.emulator.count('POST', /\/servers\/[0-9a-f-]{36}\/action$/);
      const asked = stops();
      const stopped = await rig.api.accept(`${vnf}/operate`, { changeStateTo: 'STOPPED' });
      await rig.until('Nova to be asked', () => stops() > asked);
      killHard(service);
      await rig.completed(stopped);
      expect(stops() - asked).toBe(1);
      expect(statusOf(rig)).toEqual(['SHUTOFF']);
      await rig.backAgain(service);

      rig.slow(vnf, MIDDLE);
      const path = new RegExp(`/stacks/${stackNameOf(vnf)}/[0-9a-f-]{36}$`);
      const updates = (): number => rig.emulator.count('PATCH', path);
      const updated = updates();
      const moved = await rig.api.accept(`${vnf}/change_ext_conn`, TO_NET1);
      await rig.stack(vnf, 'UPDATE_IN_PROGRESS');
      killHard(service);
      const op = await rig.completed(moved);
      expect(op.changedExtConnectivity).toMatchObject([{ id: 'other', resourceHandle: { resourceId: 'net1' } }]);
      expect(updates() - updated).toBe(1);
      // A server that was STOPPED stays STOPPED.
      expect(statusOf(rig)).toEqual(['SHUTOFF']);
      await rig.backAgain(service);

      await rig.completed(await rig.terminate(vnf));
      await rig.hasAgain(before);
    });
  });
}

const statusOf = ({ emulator }: Rig): string[] =>
  emulator.inventory().flatMap(({ servers }) => servers.map(({ status }) => status));
