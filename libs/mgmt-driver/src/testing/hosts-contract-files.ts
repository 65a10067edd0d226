import { Readable } from 'node:stream';
import { millis, Secret } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { hostRun, nextClaim } from './host-run.js';
import { failureOf, type HostsUnderTest } from './hosts-under-test.js';

/** The contract for files on a host. */
export function describeFiles(make: () => Promise<HostsUnderTest>): void {
  describe('files', () => {
    for (const sudo of [true, false]) {
      it(`are put whole and read back ${sudo ? 'with privileges' : 'as the login user'}`, async () => {
        const { hosts, target, folder } = await make();
        const { files } = hosts.host(target, hostRun());
        if (sudo && target.privileges === 'none') {
          for (const refused of [
            files.put('/tmp/x', 'x', { sudo }),
            files.read('/etc/os-release', { sudo }),
            files.stat('/etc', { sudo }),
          ]) {
            expect(await failureOf(refused)).toMatchObject({ name: 'TerminalError', code: 'remote.no-privileges' });
          }
          return;
        }
        const path = `${folder}/new/it's a "file"`;
        await files.put(path, 'first\n', { sudo, parents: true });
        expect((await files.read(path, { sudo })).toString()).toBe('first\n');
        await files.put(path, Readable.from([Buffer.from('second, '), Buffer.from('streamed')]), { sudo, mode: 0o640 });
        expect((await files.read(path, { sudo })).toString()).toBe('second, streamed');
        expect(await files.stat(path, { sudo })).toMatchObject({ kind: 'file', size: 16, mode: 0o640 });
        expect(await files.stat(folder, { sudo })).toMatchObject({ kind: 'directory' });
        expect(await files.exists(`${path}2`, { sudo })).toBe(false);
        expect(await failureOf(files.read(`${path}2`, { sudo }))).toMatchObject({
          name: 'TerminalError',
          code: 'remote.no-such-file',
        });
        expect(await failureOf(files.read(path, { sudo, atMost: 3 }))).toMatchObject({ code: 'remote.file-too-large' });
      });
    }

    it("that hold a secret are their owner's alone, and an absent folder is told", async () => {
      const { hosts, target, folder } = await make();
      const { files } = hosts.host(target, hostRun());
      const path = `${folder}/new/key`;
      expect(await failureOf(files.put(path, new Secret('s3cret')))).toMatchObject({ code: 'remote.no-such-file' });
      await files.put(path, new Secret('s3cret'), { parents: true });
      expect(await files.stat(path)).toMatchObject({ mode: 0o600 });
    });

    it('are not written by an old claim, nor after the lease', async () => {
      const { hosts, target, folder } = await make();
      const run = hostRun();
      const path = `${folder}/file`;
      await hosts.host(target, nextClaim(run, 'resumed')).files.put(path, 'new', { parents: true });
      for (const sudo of target.privileges === 'none' ? [false] : [true, false]) {
        const stale = hosts.host(target, run).files.put(path, 'old', { sudo });
        expect(await failureOf(stale)).toMatchObject({ code: 'remote.stale-epoch' });
        const late = hosts
          .host(target, nextClaim(run, 'resumed', { leaseLeft: () => millis(-5_000) }))
          .files.put(path, 'late', { sudo });
        expect(await failureOf(late)).toMatchObject({ code: 'remote.lease-over' });
      }
      expect((await hosts.host(target, run).files.read(path)).toString()).toBe('new');
    });
  });
}
