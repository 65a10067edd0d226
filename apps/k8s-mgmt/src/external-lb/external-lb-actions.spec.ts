import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { externalLbBench, MORE, ROUTES, scriptedLbBench, WEB } from '../testing/external-lb.js';
import { installed, opened, routed } from './haproxy.js';

type Bench = ReturnType<typeof externalLbBench>;

const OURS = opened(installed(undefined, ROUTES), [WEB]);
const before = [...ROUTES.masters, ...ROUTES.workers];

crashSuite('an external load balancer', {
  bench: externalLbBench,
  stands: ({ world }) => {
    expect(world.file).toBe(routed(OURS, MORE));
    expect(world.read).toBe(world.file);
  },
});

crashSuite('an external load balancer by a script of the package', {
  bench: scriptedLbBench,
  stands: ({ world }) => expect(world.file).toBe(routed(world.scriptWrites, MORE)),
});

undoSuite('an external load balancer', {
  bench: externalLbBench,
  left: {
    install: ({ world }) => world.file,
    route: ({ world }) => (world.file === routed(OURS, before) ? undefined : 'other routes'),
  },
});

const failing = async (id: string, { runner }: Bench): Promise<unknown> => {
  for (const step of runner.steps) {
    if (step.id === id) break;
    await runner.performOnce(step.id);
  }
  return runner.performOnce(id).then(
    () => undefined,
    (error: unknown) => error,
  );
};

describe('an external load balancer', () => {
  it('is told to read its file once for each change, and not at all where it stands so', async () => {
    const made = externalLbBench();
    await made.runner.run();
    expect(made.world.reloads).toBe(3);
    for (const id of ['install', 'restore', 'route']) await made.runner.performOnce(id, { epoch: 9, attemptEpoch: 9 });
    expect(made.world.reloads, 'install has no worker33, route has it again').toBe(5);
    await made.runner.performOnce('route', { epoch: 10, attemptEpoch: 10 });
    expect(made.world.reloads).toBe(5);
  });

  it('is asked at another of its addresses, for the same certificate, where masters do not reach the first', async () => {
    const made = externalLbBench();
    made.world.answersAt = ['10.10.0.9'];
    expect(await failing('verify', made)).toBeUndefined();
    expect(made.world.asked.at(-1)?.replaceAll("'", '')).toContain(
      '--server=https://10.10.0.9:8383 --tls-server-name=203.0.113.9',
    );
  });

  it.each([
    ['Unable to connect: i/o timeout', 'Do security groups let TCP port 8383 through'],
    [
      'x509: certificate is valid for 10.96.0.1, not 203.0.113.9',
      'has to hold 203.0.113.9 (with kubespray: supplementary_addresses',
    ],
  ])('that does not answer is told with a remedy: %s', async (refusal, remedy) => {
    const made = externalLbBench();
    Object.assign(made.world, { answersAt: [], refusal });
    made.runner.step('verify').input.withinMs = 50;
    const error = await failing('verify', made);
    expect(error).toMatchObject({ code: 'external-lb.no-answer', message: expect.stringContaining(remedy) as string });
    expect((error as Error).message).toContain(refusal);
  });

  it('whose script fails shows its last words, and none of what it was told in secret', async () => {
    const made = scriptedLbBench();
    made.world.scriptEnds = { status: 3, stderr: 'no haproxy here\nsecret-of-the-balancer\n' };
    const error = await failing('script', made);
    expect(error).toMatchObject({
      name: 'TerminalError',
      code: 'script.failed',
      message: expect.stringMatching(
        /ExternalLB_installation\.sh on externalLB ended with exit status 3.*no haproxy here/s,
      ) as string,
    });
    expect((error as Error).message).not.toContain('secret-of-the-balancer');
  });

  it('whose script leaves no back end for ports of Services is refused by its name', async () => {
    const made = scriptedLbBench();
    made.world.scriptWrites = 'frontend a\n    bind *:8383\n';
    expect(await failing('route', made)).toMatchObject({
      code: 'external-lb.no-back-end',
      message: expect.stringContaining('has no "backend kubernetes-nodeport"') as string,
    });
  });
});
