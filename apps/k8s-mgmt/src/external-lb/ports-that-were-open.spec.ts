import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { BALANCER, externalLbBench, ROUTES, SERVICES, WEB } from '../testing/external-lb.js';
import { hostile } from '../testing/hostile-words.js';
import { exposedIn } from './exposed-ports.js';
import { installed, opened } from './haproxy.js';
import { nodePortsIn, restorable } from './restore-node-ports.action.js';

type Bench = ReturnType<typeof externalLbBench>;

const SERVER = BALANCER.vnfc.resourceId;
const EMPTY = installed(undefined, ROUTES);
const frontend = (name: string, ...lines: string[]): string =>
  ['', `frontend ${name}`, ...lines.map((line) => `    ${line}`), ''].join('\n');
const LEADS = 'default_backend kubernetes-nodeport';

/** A machine that was made anew, with the installation done. */
async function madeAnew(): Promise<Bench> {
  const made = externalLbBench();
  await made.runner.performOnce('install');
  return made;
}
async function restored(made: Bench): Promise<string[]> {
  await made.runner.performOnce('restore');
  return (made.runner.outputs.get('restore') as { notes: string[] }).notes;
}
const noted = async (made: Bench, input: JsonObject = {}): Promise<unknown> => {
  const step = made.runner.step('note');
  delete step.input.takesOver;
  Object.assign(step.input, input);
  await made.runner.performOnce('note');
  return made.runner.outputs.get('note');
};
const recordOf = ({ world }: Bench): unknown => {
  const { server, frontends, others } = world.record?.data as Record<string, string>;
  return { server, frontends: JSON.parse(frontends!) as unknown, others: JSON.parse(others!) as unknown };
};

describe('a balancer that was made anew', () => {
  it('opens the ports that were open on the one before it, and no other of the cluster', async () => {
    const made = await madeAnew();
    expect(await restored(made)).toEqual([
      'externalLB was made anew: it serves the ports of Services that were open before: default/web (30080)',
    ]);
    expect(made.world.file).toBe(opened(EMPTY, [WEB]));
    expect(made.world.file).not.toContain('30443');
  });

  it('opens nothing where nothing was open, and says nothing of it', async () => {
    const made = await madeAnew();
    made.world.keeps([]);
    expect(await restored(made)).toEqual([]);
    expect(made.world.file).toBe(EMPTY);
  });

  it('of a cluster in which nobody has noted it opens nothing, and names what can be opened and how', async () => {
    const made = await madeAnew();
    made.world.record = undefined;
    const [note, ...more] = await restored(made);
    expect(made.world.file).toBe(EMPTY);
    expect(more).toEqual([]);
    expect(note).toContain('nobody has noted which ports of Services were open');
    expect(note).toContain('none is open. Services of the type NodePort: default/web (30080, 30443)');
    expect(note).toContain('"bind *:<port>" and "default_backend kubernetes-nodeport" in /etc/haproxy/haproxy.cfg on externalLB');
  });

  it('shows no words of a cluster that are no names', async () => {
    const made = await madeAnew();
    made.world.record = undefined;
    const metadata = { namespace: 'default', name: 'web\nlisten x' };
    made.world.services = { items: [{ metadata, spec: { type: 'NodePort', ports: [{ nodePort: 30_081 }] } }] };
    expect(await restored(made)).toEqual([]);
  });

  it('leaves a port closed whose Service is gone, also where another Service has got it', async () => {
    const made = await madeAnew();
    made.world.keeps([WEB, { name: 'shop_till', ports: [30_443] }]);
    const notes = await restored(made);
    expect(notes[1]).toContain('stay closed: shop/till (30443)');
    expect(made.world.file).not.toContain('30443');
  });

  it('says which frontends had lines of their own: those are not opened to everyone', async () => {
    const made = await madeAnew();
    made.world.keeps([], ['default_web']);
    expect(await restored(made)).toEqual([expect.stringContaining('are not there any more: default_web. Write them into')]);
    expect(made.world.file).toBe(EMPTY);
  });

  it('takes the place of the one before it in the record once its ports are open', async () => {
    const made = await madeAnew();
    await restored(made);
    await noted(made, { takesOver: true });
    expect(recordOf(made)).toEqual({ server: SERVER, frontends: [WEB], others: [] });
  });
});

describe('what is noted of a balancer’s open ports', () => {
  it('is what its file opens, whoever has written it', async () => {
    const made = externalLbBench();
    made.world.record = undefined;
    made.world.has(EMPTY + frontend('default_web', 'mode tcp', 'bind *:30080', LEADS));
    expect(await noted(made)).toBeUndefined();
    expect(recordOf(made)).toEqual({ server: SERVER, frontends: [WEB], others: [] });
  });

  it('stays where its machine is about to be replaced and is dead', async () => {
    const made = externalLbBench();
    made.world.keeps([WEB], [], SERVER);
    made.hosts.machine(SERVER).unreachable = true;
    expect(await noted(made, { leaving: true })).toEqual({
      notes: [expect.stringContaining('externalLB does not show its configuration: its ports count as open that were so')],
    });
    expect(recordOf(made)).toEqual({ server: SERVER, frontends: [WEB], others: [] });
  });

  it('is not asked of a dead machine that is to stay: the operation fails at it', async () => {
    const made = externalLbBench();
    made.world.keeps([WEB], [], SERVER);
    made.hosts.machine(SERVER).unreachable = true;
    await expect(noted(made)).rejects.toMatchObject({ code: expect.stringMatching(/^remote\./) as string });
  });

  it('stays where a heal stopped half-way: the new machine has none of the ports yet', async () => {
    const made = externalLbBench();
    made.world.has(EMPTY);
    expect(await noted(made, { leaving: true })).toEqual({ notes: [expect.stringContaining('does not have the ports')] });
    expect(recordOf(made)).toEqual({ server: 'server-gone', frontends: [WEB], others: [] });
  });

  it('is written once: nothing that stands so is applied again', async () => {
    const made = externalLbBench();
    made.world.has(opened(EMPTY, [WEB]));
    made.world.keeps([WEB], [], SERVER);
    const before = made.world.record;
    await noted(made);
    expect(made.world.record).toBe(before);
  });

  it('is not known while the cluster does not say: nothing is taken for nothing open', async () => {
    const made = await madeAnew();
    made.hosts.on(/kubectl .*get configmap /, { status: 1, stderr: 'The connection to the server was refused' });
    await expect(made.runner.performOnce('restore')).rejects.toMatchObject({ code: 'cluster.no-record' });
    expect(made.world.file).toBe(EMPTY);
  });

  it.each([
    ['no list', { frontends: '{"name": "a"}' }],
    ['no JSON', { frontends: '[' }],
    ['nothing', {}],
  ])('counts as unknown where somebody has written %s there', async (_what, data) => {
    const made = await madeAnew();
    made.world.record = { data };
    expect((await restored(made))[0]).toContain('nobody has noted');
  });

  it.each<[name: unknown, port: unknown]>([
    ...hostile('name').map(([, name]): [unknown, unknown] => [name, 30_080]),
    ...hostile('port').map(([, port]): [unknown, unknown] => ['default_web', port]),
  ])('opens nothing for %j at %j, which somebody has written there', async (name, port) => {
    const made = await madeAnew();
    made.world.keeps([{ name, ports: [port] }] as never);
    await restored(made);
    expect(made.world.file).toBe(EMPTY);
  });
});

describe('what HAProxy’s file opens', () => {
  const web = (...lines: string[]) => exposedIn(EMPTY + frontend('default_web', ...lines, LEADS));

  it.each([
    ['*', ['bind *:30080']],
    ['every address of IPv4', ['bind 0.0.0.0:30080']],
    ['every address', ['bind :::30080']],
    ['two addresses of one line', ['bind *:30080,[::]:30080']],
    ['beside a comment and a log', ['bind *:30080 # web', 'mode tcp', 'option tcplog', 'timeout client 1h']],
  ])('is open at %s', (_where, lines) => {
    expect(web(...lines)).toEqual({ frontends: [WEB], others: [] });
  });

  it.each([
    ['one address', ['bind 10.10.0.9:30080']],
    ['a filter', ['bind *:30080', 'tcp-request connection reject if !{ src 10.0.0.0/8 }']],
    ['a certificate', ['bind *:30080 ssl crt /etc/haproxy/web.pem']],
    ['a range of ports', ['bind *:30000-30100']],
    ['another mode', ['bind *:30080', 'mode http']],
    ['no port', ['bind *:99999']],
  ])('is no plain port where it has %s', (_what, lines) => {
    expect(web(...lines)).toEqual({ frontends: [], others: ['default_web'] });
  });

  it('has neither the API, nor what leads elsewhere, nor a comment', () => {
    const text = `${EMPTY}${frontend('mine', 'bind *:30081', 'default_backend of-mine')}# frontend x\n#  bind *:1\n`;
    expect(exposedIn(text)).toEqual({ frontends: [], others: [] });
  });

  it('is bounded, whatever a machine says', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => frontend(`a_${n}`, `bind *:${n + 1}`, LEADS)).join('');
    expect(exposedIn(EMPTY + many).frontends).toHaveLength(1_000);
    const ports = Array.from({ length: 9_000 }, (_, n) => `bind *:${n + 1}`);
    expect(web(...ports).frontends[0]?.ports).toHaveLength(2_768);
  });
});

it('a frontend that is called after no Service is open again where its port leads to any', () => {
  const services = nodePortsIn(SERVICES);
  const frontends = [{ name: 'mine', ports: [30_080, 30_099] }];
  expect(restorable({ frontends }, services)).toEqual({
    open: [{ name: 'mine', ports: [30_080] }],
    closed: [{ name: 'mine', ports: [30_099] }],
  });
});
