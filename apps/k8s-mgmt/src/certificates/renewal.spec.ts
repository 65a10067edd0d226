import { crashSuite, type CrashPoints } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { FakeCluster, RENEWED_UNTIL } from '../testing/fake-cluster.js';
import { PARAMS, plainParams, vnfc } from '../testing/requests.js';

const DAY = 86_400;
const NOW = 1_764_000_000;
const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.9'], floatingIp: null };

/** As a look prints it, of certificates that are good for so many days. */
const printed = (left: Readonly<Record<string, number>>): string =>
  [`now ${NOW}`, ...Object.entries(left).map(([name, days]) => `${name} ${NOW + days * DAY}`), ''].join('\n');

const GOOD = { 'apiserver.crt': 20, 'etcd/peer.crt': 20 };

/** A cluster with these masters, of which each is said when its certificates end, in days; a worker; and the driver's plan to renew. */
function renewal(masters: readonly Readonly<Record<string, number>>[], points: CrashPoints = {}) {
  const params = plainParams();
  const shared = masters.length > 1 ? { cluster_cp_name: 'vip_CP' } : {};
  Object.assign((params[PARAMS] as Record<string, JsonObject>).master_node!, shared);
  const world = new FakeCluster(points);
  const nodes = masters.map((left, at) => {
    world.node(`server-master-${24 + at}`).certificates = printed(left);
    return vnfc('master', 24 + at, `10.10.0.${24 + at}`);
  });
  const vnfcs = [...nodes, vnfc('worker', 31, '10.10.0.31')];
  const request = { windlassCertificates: 'renew' };
  return bench({
    params,
    requestParams: {},
    hook: { hook: 'modify_information_end', request, vnfcs, sharedCps: [VIP] },
    world,
    ...points,
  });
}

const renewedOn = ({ world }: Pick<ReturnType<typeof renewal>, 'world'>): string[] =>
  world.hosts.processes.filter(({ job }) => job.startsWith('renew-certificates')).map(({ resourceId }) => resourceId);

describe('a renewal of certificates', () => {
  it('looks at all masters first, renews one after another, and keeps when the new ones end', () => {
    const { plan } = renewal([GOOD, GOOD, GOOD]);
    expect(compilePlan(plan).steps.map(({ id, deps }) => `${id} after [${deps.join(' ')}]`)).toEqual([
      'check-renewal after []',
      'renew-certificates:10.10.0.24 after [check-renewal]',
      'renew-certificates:10.10.0.25 after [renew-certificates:10.10.0.24]',
      'renew-certificates:10.10.0.26 after [renew-certificates:10.10.0.25]',
      'list-certificates after [renew-certificates:10.10.0.26]',
    ]);
  });

  it('takes none of its steps back, since what was renewed is good', () => {
    const { plan } = renewal([GOOD, GOOD, GOOD]);
    for (const { id, traits } of compilePlan(plan).steps) expect(traits.undoable, id).toBe(false);
  });

  it('asks each master on that very machine, and nothing of the cluster, which answers nobody where certificates have run out', async () => {
    const made = renewal([{ 'apiserver.crt': -3, 'admin.conf': -3, 'etcd/peer.crt': -3 }]);
    await made.runner.run();
    expect(renewedOn(made)).toEqual(['server-master-24']);
    expect(made.world.hosts.looks.map(({ command }) => command).join('\n')).not.toContain('kubectl');
    expect(made.runner.outputs.get('list-certificates')).toMatchObject({
      instance: { certificates: [{ endsAt: RENEWED_UNTIL }, { endsAt: RENEWED_UNTIL }, { endsAt: RENEWED_UNTIL }] },
    });
  });

  it('marks each master’s by the operation and its own address, so that another attempt renews nothing twice', async () => {
    const made = renewal([GOOD, GOOD, GOOD]);
    await made.runner.run();
    const marks = made.world.hosts.processes.map(({ command }) => / '?(\S+\.10\.10\.0\.\d+)'? /.exec(command)?.[1]);
    expect(marks).toEqual([24, 25, 26].map((n) => `${made.context.operationId}.10.10.0.${n}`));
  });
});

describe('a renewal that can’t be done one master after another', () => {
  const refused = async (made: ReturnType<typeof renewal>): Promise<unknown> => {
    const error: unknown = await made.runner.run().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(renewedOn(made), 'masters of which something was changed').toEqual([]);
    return error;
  };
  const OUT = { 'apiserver.crt': -1, 'etcd/peer.crt': -1 };

  it.each([
    ['of all members', [OUT, OUT, OUT], 'master 10.10.0.24, master 10.10.0.25, master 10.10.0.26'],
    ['of two of three', [GOOD, OUT, OUT], 'master 10.10.0.25, master 10.10.0.26'],
    ['of two of four', [GOOD, OUT, GOOD, OUT], 'master 10.10.0.25, master 10.10.0.27'],
  ])(
    'is refused before anything is changed where the peer certificates %s have run out: etcd would be waited for in vain',
    async (_of, masters, named) => {
      const error = await refused(renewal(masters));
      expect(error).toMatchObject({ name: 'TerminalError', code: 'certificates.peers-run-out' });
      expect(String(error)).toContain(`etcd/peer.crt has run out on ${named}, so`);
      expect(String(error)).toContain('docs/runbooks/certificates.md');
    },
  );

  it('goes on where a majority of etcd can talk to each other, or there is one master alone', async () => {
    for (const masters of [[OUT, GOOD, GOOD], [OUT]]) {
      const made = renewal(masters);
      await made.runner.run();
      expect(renewedOn(made)).toHaveLength(masters.length);
    }
  });

  it('is refused where a master can’t be logged in to, which is named', async () => {
    const made = renewal([GOOD, GOOD, GOOD]);
    Object.defineProperty(made.world.hosts.machine('server-master-25'), 'unreachable', { get: () => true });
    const error = await refused(made);
    expect(error).toMatchObject({ code: 'certificates.master-silent' });
    expect(String(error)).toContain("master 10.10.0.25 can't be logged in to");
  });

  it('is refused where a master has no certificates of kubeadm’s', async () => {
    const error = await refused(renewal([GOOD, {}, GOOD]));
    expect(error).toMatchObject({ name: 'TerminalError', code: 'certificates.not-kubeadm' });
    expect(String(error)).toContain('master 10.10.0.25 has no /etc/kubernetes/pki/apiserver.crt');
  });
});

crashSuite('a renewal of three masters’ certificates', {
  bench: (points) => renewal([GOOD, GOOD, GOOD], points),
  stands: (made) => {
    expect(renewedOn(made)).toEqual(['server-master-24', 'server-master-25', 'server-master-26']);
    for (const n of [24, 25, 26])
      expect(made.world.node(`server-master-${n}`).certificates).toContain(`apiserver.crt ${RENEWED_UNTIL}`);
  },
});
