import { crashSuite, undoSuite } from '@windlass/driver-kit/testing';
import { describe, expect, it } from 'vitest';
import { balancer, balancerBench, SMALLER } from '../testing/balancer.js';
import { haproxyConfiguration } from './haproxy.js';

const FIRST = 'server-master-1';
const LAST = 'server-master-3';
const backends = ({ world }: ReturnType<typeof balancerBench>, id: string) => world.node(id).files?.get('haproxy.cfg');

crashSuite('a load balancer', {
  bench: balancerBench,
  stands: (made) => {
    expect(backends(made, FIRST)).toBe(haproxyConfiguration(SMALLER).text);
    expect(backends(made, LAST)).toBe(haproxyConfiguration(balancer()).text);
    expect(made.world.node(LAST).keepalived).toBe(false);
  },
});

undoSuite('a load balancer', {
  bench: balancerBench,
  left: {
    'configure:master24': (made) => backends(made, FIRST),
    leave: ({ world }) => (world.node(LAST).keepalived ? undefined : 'it holds no address'),
    change: (made) => (backends(made, FIRST) === haproxyConfiguration(balancer()).text ? undefined : 'other back ends'),
  },
});

describe('a load balancer that stands', () => {
  it('is found so: nothing is run on its nodes', async () => {
    const made = balancerBench();
    await made.runner.run();
    const before = made.hosts.processes.length;
    for (const id of ['configure:master25', 'leave', 'change'])
      expect(await made.runner.action(id).check?.(made.runner.runOf(id)), id).toBe(true);
    expect(made.hosts.processes).toHaveLength(before);
  });

  it('is not what is wanted where a master is missing among its back ends', async () => {
    const made = balancerBench();
    await made.runner.run();
    expect(await made.runner.action('configure:master24').check?.(made.runner.runOf('configure:master24'))).toBe(false);
  });
});

describe('masters that are asked about the virtual address', () => {
  const verified = async (spoil: (made: ReturnType<typeof balancerBench>) => void): Promise<unknown> => {
    const made = balancerBench();
    spoil(made);
    return made.runner
      .action('verify')
      .apply(made.runner.runOf('verify'))
      .catch((error: unknown) => error);
  };
  const refusal = (message: string) => ({
    name: 'TerminalError',
    code: 'load-balancer.unfit',
    message: expect.stringContaining(message) as string,
  });

  it('agree where one holds it and each gets an answer', async () => {
    expect(await verified(() => undefined)).toBeUndefined();
  });

  it('do not hear each other where two hold it: the rule that is missing is named', async () => {
    const error = await verified(({ world }) => (world.node(LAST).holds = true));
    expect(error).toMatchObject(refusal('master24, master26 each have the virtual address 10.10.0.99'));
    expect(error).toMatchObject(refusal('VRRP (IP protocol 112)'));
  });

  it('get no answer from another where ports do not allow the address', async () => {
    const error = await verified(({ world }) => (world.node(LAST).answered = false));
    expect(error).toMatchObject(refusal('master24 has the virtual address 10.10.0.99, and master26 gets no answer there'));
    expect(error).toMatchObject(refusal('allowed_address_pairs'));
  });

  it('may all be without it: where to look is named', async () => {
    expect(await verified(({ world }) => (world.node(FIRST).holds = false))).toMatchObject(refusal('no master has'));
  });
});
