import { seconds } from '@windlass/foundation';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Rig } from './support/rig.js';

export function ownServers(rigOf: () => Rig, said: readonly string[]): void {
  describe('PostgreSQL and NATS under the supervisor of ./windlass up', () => {
    it.each(['PostgreSQL', 'NATS'] as const)(
      'kill -9 of %s in the middle of an operation: it is started again in its place, which is told, and the operation completes',
      async (name) => {
        const rig = rigOf();
        const before = rig.inventory();
        const made = rig.stacksMade();
        const { servers } = rig.deployment;
        const server = name === 'NATS' ? servers.nats : servers.postgres;
        const vnf = await rig.createVnf();
        rig.slow(vnf, seconds(1.5));
        const instantiation = await rig.instantiate(vnf);
        await rig.stack(vnf, 'CREATE_IN_PROGRESS');
        const pid = server?.pid;
        const begun = said.length;
        process.kill(pid ?? Number.NaN, 'SIGKILL');
        await rig.completed(instantiation);
        await rig.completed(await rig.terminate(vnf));
        expect(rig.stacksMade() - made).toBe(1);
        await rig.hasAgain(before);
        expect(server?.pid).not.toBe(pid);
        expect(said.slice(begun)).toEqual([
          `${name} ended (SIGKILL); starting it again`,
          `${name} runs again (process ${server?.pid ?? '?'})`,
        ]);
        for (const service of rig.deployment.processes) await service.ready(seconds(60));
        const metrics = await (
          await fetch(`${rig.service('saga-coordinator').healthUrls.get('saga-coordinator') ?? ''}/metrics`)
        ).text();
        for (const kind of ['AUDIT', 'CLEAN_UP', 'REFRESH', 'SNAPSHOT'])
          expect(metrics).toContain(`windlass_internal_operations_pending{kind="${kind}",service="saga-coordinator"} 0\n`);
      },
    );

    it('end last: every service has stopped in time before, and nothing is started again', async () => {
      const rig = rigOf();
      const { servers, processes } = rig.deployment;
      const logs = join(rig.folder, 'data/logs');
      const begun = said.length;
      await rig.deployment.stop();
      for (const { name } of processes) {
        const last = (await readFile(join(logs, `${name}.log`), 'utf8')).trimEnd().split('\n').at(-1) ?? '';
        expect(JSON.parse(last)).toMatchObject({ message: 'stopped', inTime: true });
      }
      expect(await readFile(join(logs, 'postgres.log'), 'utf8')).toContain('database system is shut down');
      expect([servers.postgres?.pid, servers.nats?.pid]).toEqual([undefined, undefined]);
      expect(said.slice(begun)).toEqual([]);
    });
  });
}
