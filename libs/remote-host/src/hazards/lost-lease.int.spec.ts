import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { millis, minutes, seconds, type Duration } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { hostRun, nextClaim } from '@windlass/mgmt-driver/testing';
import { failureOf } from '@windlass/mgmt-driver/testing/contract';
import { expect, it } from 'vitest';
import { setScene } from '../testing/scene.js';

const scene = setScene();
const within = seconds(30);

/** A lease that ends so long after now. */
const leaseOf = (duration: Duration) => {
  const until = performance.now() + duration;
  return { leaseLeft: () => millis(until - performance.now()) };
};

it('an order that was long on its way is refused by the host, when the lease it was given under is over', async () => {
  const rig = scene.rig();
  const late = hostRun(leaseOf(millis(1_500)));
  let frozen: number[] = [];
  const job = failureOf(
    rig.hosts.host(rig.target, late).job('work', {
      prepare: () => {
        // The order leaves here in time, and lies in the way until the lease is over.
        frozen = scene.sshd.sessions();
        for (const pid of frozen) process.kill(pid, 'SIGSTOP');
        return { run: rig.work('w') };
      },
      within,
    }),
  );
  await expect.poll(() => late.leaseLeft(), { timeout: 10_000, interval: 50 }).toBeLessThan(-200);
  for (const pid of frozen) process.kill(pid, 'SIGCONT');
  expect(await job).toMatchObject({ name: 'TransientError', code: 'remote.lease-over' });
  expect(await rig.begun('w')).toBe(0);
  expect(rig.contents()).not.toContain('work.sh');
  await rig.hosts.host(rig.target, nextClaim(late, 'resumed', leaseOf(seconds(30)))).job('work', { run: rig.work('w'), within });
  expect(await rig.begun('w')).toBe(1);
});

it('a lease that is known to be over sends nothing at all', async () => {
  const rig = scene.rig();
  const over = new Error('the lease is over');
  const assertLease = (): never => {
    throw over;
  };
  const host = rig.hosts.host(rig.target, hostRun({ assertLease }));
  await expect(host.job('work', { run: rig.work('w'), within })).rejects.toBe(over);
  await expect(host.files.put(`${rig.folder}/file`, 'x')).rejects.toBe(over);
  await expect(host.quiet()).rejects.toBe(over);
  expect(await rig.begun('w')).toBe(0);
  expect(await host.files.exists(`${rig.folder}/file`)).toBe(false);
});

it.each([true, false])(
  'a stream that takes longer than a lease is put in its place if the lease was renewed meanwhile: %s',
  async (renewed) => {
    const rig = scene.rig();
    // Connected already: the stream begins in a small part of its first lease.
    await rig.hosts.host(rig.target, hostRun()).run(cmd`true`, { within });
    let until = performance.now() + 4_000;
    const run = hostRun({ leaseLeft: () => millis(until - performance.now()) });
    const content = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('first ');
      await expect.poll(() => until - performance.now(), { timeout: 10_000, interval: 50 }).toBeLessThan(-300);
      if (renewed) until = performance.now() + 30_000;
      yield Buffer.from('last');
    };
    const { files } = rig.hosts.host(rig.target, run);
    const put = files.put(`${rig.folder}/image`, Readable.from(content()));
    if (renewed) {
      await put;
      expect((await files.read(`${rig.folder}/image`)).toString()).toBe('first last');
    } else {
      await expect(put).rejects.toMatchObject({ code: 'remote.lease-over' });
      expect(await files.exists(`${rig.folder}/image`)).toBe(false);
    }
    expect(readdirSync(rig.folder).filter((name) => name.startsWith('.windlass-'))).toEqual([]);
  },
);

it('a lost lease stops the reading at once and says why', async () => {
  const rig = scene.rig();
  const lost = new AbortController();
  const host = rig.hosts.host(rig.target, hostRun({ signal: lost.signal }));
  const job = host.job('work', { run: rig.work('w', { takes: minutes(2) }), within });
  await expect.poll(() => rig.running('w'), { interval: 20 }).toBe(1);
  const reason = new Error('lease-lost');
  lost.abort(reason);
  const began = performance.now();
  await expect(job).rejects.toBe(reason);
  await expect(host.run(cmd`true`, { within })).rejects.toBe(reason);
  expect(performance.now() - began).toBeLessThan(seconds(40));
  expect(await rig.running('w')).toBe(1);
});
