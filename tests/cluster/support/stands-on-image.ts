import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import type { ImageVariant } from '@windlass/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../../support/deployed.js';
import { ONCE_CLEANED_UP } from '../../support/cleaned-up.js';

/** A first boot that is shorter than a real one's minute, and long enough to be met by the same steps. */
const FIRST_BOOT = { locksHeld: seconds(25), passwordAfter: seconds(12) };

interface Vnfc {
  vduId: string;
  computeResource: { resourceId: string };
}

/** A command that tells the image of the master, and the command's output. */
export interface ImageProof {
  command: string;
  shows: RegExp;
}

/** Tests the simple cluster on one kind of the lab's images, from the request to nothing left. */
export function standsOn(variant: ImageVariant, { command, shows }: ImageProof): void {
  let deployed: Deployed | undefined;
  afterEach(async () => {
    await deployed?.close();
    deployed = undefined;
  });

  describe(`on images of the lab that are ${variant}`, () => {
    it('the simple cluster stands, every node Ready, and is taken away without a trace', async () => {
      deployed = await startDeployed({}, { image: variant, firstBoot: FIRST_BOOT });
      const { api, lab } = deployed;
      const before = JSON.stringify(lab.emulator.inventory());
      const { path, request } = await newCluster(deployed);
      const made = await api.follow(await api.accept(`${path}/instantiate`, request), minutes(15), () => undefined);
      expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });

      const instance = await api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: Vnfc[] } }>(path);
      const master = instance.instantiatedVnfInfo.vnfcResourceInfo.find(({ vduId }) => vduId === 'masterNode');
      const onMaster = async (text: string): Promise<string> =>
        (await lab.fleet.exec(master?.computeResource.resourceId ?? '', ['sh', '-c', text])).stdout;
      const states = async (): Promise<(string | undefined)[]> => {
        const nodes = await onMaster('kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes --no-headers');
        return nodes.trim().split('\n').map((line) => line.split(/\s+/)[1]); // prettier-ignore
      };
      await expect.poll(states, { timeout: 120_000, interval: 500 }).toEqual(['Ready', 'Ready', 'Ready']);
      expect(await onMaster(command)).toMatch(shows);

      const end: JsonObject = await api.follow(
        await api.accept(`${path}/terminate`, { terminationType: 'FORCEFUL' }),
        minutes(3),
        () => undefined,
      );
      expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
      await api.delete(path);
      await expect.poll(() => JSON.stringify(lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
    }, 1_500_000);
  });
}
