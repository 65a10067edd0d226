import { FakeVims, hookContextOf, INSTANCE, PlanRunner } from '@windlass/driver-kit/testing';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { sequence, stepOf } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { Route } from '../external-lb/external-lb-input.js';
import { opened, installed, routed, type NodePortFrontend } from '../external-lb/haproxy.js';
import { nodePortsIn } from '../external-lb/restore-node-ports.action.js';
import { allActions } from '../testing/all-actions.js';
import { balancer, balancerBench, MASTERS, NODE, onNode } from '../testing/balancer.js';
import { externalLbBench, ROUTES, scriptedLbBench } from '../testing/external-lb.js';
import { hostile, jobsOf } from '../testing/hostile-words.js';
import { changeBackEnds, type BackEnd } from './change-back-ends.action.js';
import { haproxyConfiguration } from './haproxy.js';
import { keepalivedConfiguration, type KeepalivedGiven } from './keepalived.js';

const TEXT = installed(undefined, ROUTES);
const [MASTER] = ROUTES.masters as [Route];
const FRONTEND: NodePortFrontend = { name: 'default_web', ports: [30_080] };

/** Every place of HAProxy's files that takes words of others. */
const WRITERS: Record<string, (server: Route) => unknown> = {
  'a master of its own load balancer': (server) => haproxyConfiguration(balancer({ backends: [...balancer().backends, server] })),
  'a master of an external one': (server) => installed(undefined, { ...ROUTES, masters: [server] }),
  'a worker of an external one': (server) => installed(undefined, { ...ROUTES, workers: [...ROUTES.workers, server] }),
  'a master of an external one that stands': (server) => installed(TEXT, { ...ROUTES, masters: [MASTER, server] }),
  'a node that comes to an external one': (server) => routed(TEXT, [MASTER, server]),
};

const refusal = (code: string) => {
  const message = expect.stringMatching(/^[^\n\r\0]{20,400}$/) as string;
  return expect.objectContaining({ name: 'TerminalError', code, message }) as Error;
};

describe.each(Object.entries(WRITERS))('HAProxy’s configuration with %s', (_place, write) => {
  it('holds the words that it takes', () => {
    const server = { name: 'Node-a_1.x:y', address: '10.10.0.77' };
    const told = write(server);
    const { text } = typeof told === 'string' ? { text: told } : (told as { text: string });
    expect(text).toMatch(/^ {4}server Node-a_1\.x:y 10\.10\.0\.77(:6443)? check$/m);
  });

  it('has an IPv6 address in the brackets that a port needs beside it', () => {
    const told = write({ name: 'six', address: 'fd00::7' });
    const { text } = typeof told === 'string' ? { text: told } : (told as { text: string });
    expect(text).toMatch(/^ {4}server six \[fd00::7\](:6443)? check$/m);
  });

  it.each(hostile('name'))('is not made of a name that is %s', (_shown, name) => {
    expect(() => write({ name, address: '10.10.0.77' })).toThrow(refusal('balancer.bad-name'));
  });

  it.each(hostile('address'))('is not made of an address that is %s', (_shown, address) => {
    expect(() => write({ name: 'node', address })).toThrow(refusal('balancer.bad-address'));
  });
});

describe('an external load balancer', () => {
  it('whose file has a node by IPv6 is the same file when it is routed to again, and loses it by its address', () => {
    const six = { name: 'six', address: 'fd00::7' };
    const text = routed(TEXT, [MASTER, six])!;
    expect(routed(text, [MASTER, six])).toBe(text);
    expect(routed(text, [MASTER])).not.toContain('fd00::7');
  });
});

describe('a frontend for the ports of a Service', () => {
  it.each(hostile('name'))('is not opened by a name that is %s', (_shown, name) => {
    expect(() => opened(TEXT, [FRONTEND, { ...FRONTEND, name }])).toThrow(refusal('balancer.bad-name'));
  });

  it.each(hostile('port'))('is not opened at a port that is %s', (_shown, port) => {
    expect(() => opened(TEXT, [{ name: 'a_b', ports: [30_081, port] }])).toThrow(refusal('balancer.bad-port'));
  });

  it.each([
    ['name', { namespace: 'default', name: 'web\nlisten x' }],
    ['namespace', { namespace: 'default\nlisten x', name: 'web' }],
  ])('of a cluster that says a hostile %s is refused', (_which, metadata) => {
    const found = nodePortsIn({ items: [{ metadata, spec: { type: 'NodePort', ports: [{ nodePort: 30_081 }] } }] });
    expect(() => opened(TEXT, found)).toThrow(refusal('balancer.bad-name'));
  });
});

describe('keepalived’s configuration', () => {
  const given = (more: Partial<KeepalivedGiven>): KeepalivedGiven => ({
    node: NODE,
    link: { name: 'ens3', prefixLength: 24 },
    balancer: balancer(),
    ...more,
  });

  it.each(hostile('name'))('is not made of a node’s name that is %s', (_shown, name) => {
    expect(() => keepalivedConfiguration(given({ node: { ...NODE, name } }))).toThrow(refusal('balancer.bad-name'));
  });

  it.each(hostile('name'))('is not made of a link that is %s', (_shown, name) => {
    expect(() => keepalivedConfiguration(given({ link: { name, prefixLength: 24 } }))).toThrow(refusal('balancer.bad-link'));
  });

  it.each([-1, 33, 24.5, Number.NaN, '24' as never])('is not made of a prefix length that is %s', (prefixLength) => {
    expect(() => keepalivedConfiguration(given({ link: { name: 'ens3', prefixLength } }))).toThrow(
      refusal('balancer.bad-prefix-length'),
    );
  });

  it.each([...hostile('address'), ['fd00::1', 'fd00::1' as never]])(
    'is not made of an address that is %s: of the node, of one that may hold the virtual address, of that one itself',
    (_shown, address) => {
      expect(() => keepalivedConfiguration(given({ node: { ...NODE, address } }))).toThrow(refusal('balancer.bad-address'));
      const holders = [...balancer().holders, address];
      expect(() => keepalivedConfiguration(given({ balancer: balancer({ holders }) }))).toThrow(refusal('balancer.bad-address'));
      expect(() => keepalivedConfiguration(given({ balancer: balancer({ vip: address }) }))).toThrow(
        refusal('load-balancer.vip-elsewhere'),
      );
    },
  );
});

describe('a machine', () => {
  const bad = { name: 'a\nlisten x', address: '10.10.0.77' };

  /** Back ends of the HAProxy that a package's script set up. */
  const packagedBench = (listed: BackEnd[], unlisted: BackEnd[]) => {
    const hosts = new FakeHosts().on(/^\/bin\/bash -s /, { status: 1 }).on(/script\.sh/, { status: 0 });
    const root = sequence(stepOf(changeBackEnds, { id: 'change', input: { ...onNode(MASTERS[0]!), listed, unlisted } }));
    const runner = new PlanRunner({ root }, { actions: allActions({ hosts }), hook: hookContextOf(), params: {} });
    return { hosts, vims: new FakeVims(() => INSTANCE), runner };
  };
  const good = { name: 'master25', address: '10.10.0.25' };

  it('gets back ends by lines of one name and one address', async () => {
    const made = packagedBench([good], [{ name: 'six', address: 'fd00::7' }]);
    await made.runner.performOnce('change');
    expect(made.hosts.processes.map(({ command }) => command.replaceAll("'", ''))).toEqual([
      expect.stringMatching(/ \/etc\/haproxy\/haproxy\.cfg master25 10\.10\.0\.25 six \[fd00::7\]$/) as string,
    ]);
  });

  it.each<[string, () => ReturnType<typeof packagedBench>, string]>([
    ['back ends that come to a script’s HAProxy', () => packagedBench([good, bad], []), 'change'],
    ['back ends that leave it', () => packagedBench([], [{ ...good, address: '10.10.0.25\nx' as never }]), 'change'],
    [
      'an external load balancer',
      () => withInput(externalLbBench(), 'install', { routes: { masters: [bad], workers: [] } }),
      'install',
    ],
    [
      'one by a package’s script',
      () => withInput(scriptedLbBench(), 'script', { routes: { masters: [], workers: [bad] } }),
      'script',
    ],
    ['routes of an external load balancer', () => withInput(externalLbBench(), 'route', { nodes: [bad] }), 'route'],
    [
      'a load balancer on a master',
      () => withInput(balancerBench(), 'configure:master24', { balancer: balancer({ backends: [bad] }) }),
      'configure:master24',
    ],
    ['another on a master', () => withInput(balancerBench(), 'change', { balancer: balancer({ backends: [bad] }) }), 'change'],
  ])('has nothing of %s whose words are hostile: no job is begun', async (_what, bench, id) => {
    const { runner, hosts } = bench();
    const begun = jobsOf(hosts);
    const { apply } = runner.action(id);
    await expect(apply(runner.runOf(id))).rejects.toThrow(/^.* was expected\. It is written nowhere/);
    expect(begun).toEqual([]);
  });
});

/** The bench, one of its steps with another input. */
function withInput<Bench extends { runner: PlanRunner }>(made: Bench, id: string, more: object): Bench {
  Object.assign(made.runner.step(id).input, more);
  return made;
}
