import { describeDuration, seconds, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { StandInNfvo } from '../support/standin-nfvo.js';
import { killHard, type Rig } from './support/rig.js';

/** The rig's NFVO_GRANT_WITHIN. */
export const GRANT_WITHIN = seconds(45);

export function awaitedGrant(rigOf: () => Rig, nfvoOf: () => StandInNfvo): void {
  /** Starts an instantiation, and waits until the NFVO has promised the grant and the coordinator has asked for it once more. */
  async function awaited(): Promise<{ vnf: string; operation: string }> {
    const [rig, nfvo] = [rigOf(), nfvoOf()];
    nfvo.decide({ later: () => ({}) });
    const vnf = await rig.createVnf();
    const looks = nfvo.looks();
    const operation = await rig.instantiate(vnf);
    await rig.until('the NFVO to be looked at twice', () => nfvo.looks() > looks + 1);
    return { vnf, operation };
  }

  describe('kill -9 of the coordinator while an NFVO’s grant is awaited', () => {
    it('does not keep the operation from completing once it is granted; the NFVO was asked once', async () => {
      const [rig, nfvo] = [rigOf(), nfvoOf()];
      const service = rig.service('saga-coordinator');
      const asked = nfvo.asked.length;
      const { vnf, operation } = await awaited();
      killHard(service);
      await rig.backAgain(service);
      const looks = nfvo.looks();
      await rig.until('the NFVO to be looked at again', () => nfvo.looks() > looks);
      nfvo.release();
      expect(await rig.completed(operation)).toMatchObject({ grantId: expect.any(String) as string });
      expect(nfvo.asked).toHaveLength(asked + 1);
      nfvo.decide({ give: () => ({}) });
      await rig.completed(await rig.terminate(vnf));
    });

    it('by an NFVO that stays silent to the deadline: the operation ends ROLLED_BACK, and nothing was made', async () => {
      const rig = rigOf();
      const service = rig.service('saga-coordinator');
      const [before, made] = [rig.inventory(), rig.stacksAskedFor()];
      const { vnf, operation } = await awaited();
      killHard(service);
      await rig.backAgain(service);
      const ended = await rig.atRest(operation);
      expect(ended).toMatchObject({ operationState: 'ROLLED_BACK', error: { status: 504, title: 'Grant failed' } });
      expect(String((ended.error as JsonObject).detail)).toContain(`no grant within ${describeDuration(GRANT_WITHIN)}`);
      expect(ended.grantId).toBeUndefined();
      expect([rig.inventory(), rig.stacksAskedFor()]).toEqual([before, made]);
      expect((await rig.http.delete(vnf)).status).toBe(204);
    });
  });
}
