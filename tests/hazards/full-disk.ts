import { probeJetStream } from '@windlass/embedded';
import { seconds } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import type { Rig } from './support/rig.js';
import type { SmallDisk } from './support/small-disk.js';

/** Each creation is an event, which NATS has to write: by so many, on a full disk, NATS has mostly left its stream locked for ever. */
const EVENTS = 100;

const answers = async ({ deployment: { servers } }: Rig): Promise<boolean> => {
  const nats = servers.nats?.running;
  return (
    nats !== undefined &&
    probeJetStream(nats).then(
      () => true,
      () => false,
    )
  );
};

export function fullStreams(rigOf: () => Rig, diskOf: () => SmallDisk, said: readonly string[]): void {
  describe('JetStream’s disk, when it is full', () => {
    it('may take NATS’ work away for ever, so it is restarted; with room again, the operation under way goes on by itself', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf('full');
      rig.slow(vnf, seconds(1));
      const begun = said.length;
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      const others: string[] = [];
      await diskOf().fill();
      try {
        // Writes that fail may only be refused: then NATS answers as before, and nothing is restarted.
        await rig.until('NATS to be ended, or to answer after so many events', async () => {
          if (said.slice(begun).some((line) => line.startsWith('NATS does not do its work'))) return true;
          if (others.length < EVENTS) others.push(await rig.createVnf(`another-${others.length}`));
          return others.length === EVENTS && answers(rig);
        });
      } finally {
        await diskOf().free();
      }
      await rig.completed(instantiation);
      for (const other of others) await rig.api.delete(other);
      await rig.completed(await rig.terminate(vnf));
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
      for (const service of rig.deployment.processes) await service.ready(seconds(60));
    });
  });
}

interface Ready {
  status: number;
  text: string;
}

export function fullDisk(rigOf: () => Rig, diskOf: () => SmallDisk): void {
  describe('PostgreSQL’s disk, when it is full', () => {
    const readiness = async (rig: Rig, name: string): Promise<Ready> => {
      const answer = await fetch(`${rig.service(name).healthUrls.get(name) ?? ''}/health/ready`);
      return { status: answer.status, text: await answer.text() };
    };

    it('makes the services on it say so and be not ready; with room again, the operation under way goes on by itself', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf('full');
      rig.slow(vnf, seconds(1));
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      await diskOf().fill();
      try {
        for (const name of ['saga-coordinator', 'lcm-api', 'vim-registry']) {
          await rig.until(`${name} to be red`, async () => {
            const { status, text } = await readiness(rig, name);
            return status === 503 && text.includes('No space left on device');
          });
        }
      } finally {
        await diskOf().free();
      }
      await rig.completed(instantiation);
      await rig.completed(await rig.terminate(vnf));
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
      for (const service of rig.deployment.processes) await service.ready(seconds(60));
    });
  });
}
