import { seconds, Secret } from '@windlass/foundation';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats, stepStream } from '@windlass/messaging';
import { describe, expect, it } from 'vitest';
import { pauseProcess, resumeProcess, type Rig } from './support/rig.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Deletes the streams that exist: a stream is made when its first message is sent. */
async function deleteStreams({ nats }: Rig): Promise<void> {
  const { user, password } = nats.admin;
  const link = await connectNats({ url: nats.url, user, password: new Secret(password), name: 'wiper', log: silent });
  const manager = await jetstreamManager(link.connection);
  const names = await manager.streams.names().next();
  expect(names).toContain(stepStream.name);
  for (const name of names) expect(await manager.streams.delete(name)).toBe(true);
  await link.close();
}

export function wipedStream(rigOf: () => Rig): void {
  describe('an operation under which NATS forgets its streams', () => {
    it('completes when they are deleted while a step runs', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1), 'always');
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      await deleteStreams(rig);
      await rig.completed(instantiation);
      const termination = await rig.terminate(vnf);
      await rig.stack(vnf, 'DELETE_IN_PROGRESS');
      await deleteStreams(rig);
      await rig.completed(termination);
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
    });

    it('completes when a wake-up that nobody has heard is lost with them', async () => {
      const rig = rigOf();
      const workers = rig.all('infra-driver');
      const vnf = await rig.createVnf();
      workers.forEach(pauseProcess);
      let instantiation: string;
      try {
        instantiation = await rig.instantiate(vnf);
        await rig.stepState(instantiation, 'share-image:VDU1', 'ready');
        await deleteStreams(rig);
      } finally {
        workers.forEach(resumeProcess);
      }
      await rig.completed(instantiation);
      await rig.completed(await rig.terminate(vnf));
    });

    it('completes when the server is killed, its store removed, and a new one started in its place', async () => {
      const rig = rigOf();
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1));
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      await rig.nats.kill();
      await rig.startNatsAgain({ wiped: true });
      await rig.completed(instantiation);
      await rig.completed(await rig.terminate(vnf));
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
    });
  });
}
