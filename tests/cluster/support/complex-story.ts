import { minutes, seconds } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AskedAlways } from '../../support/asked-always.js';
import { RestCluster, type Machine } from './rest-cluster.js';

/** How long the API may be away while the virtual address moves: an aim, which a person compares with the printed figures. */
const AIM = seconds(5);
/**
 * The test fails where the address does not move by itself. On a busy machine keepalived and the asking client get their turns late, and the figure
 * exceeds the aim. An address that does not move stays until its holder is healed or removed, which takes minutes.
 */
const NOT_MOVED = seconds(45);

/** The limit for each test: an operation, with the API asked meanwhile. */
const WITHIN = minutes(30);

/** A workload on the cluster, which is asked at a port of every node, beside the API. */
export interface Workload {
  /** Starts the workload on the cluster. */
  begin(cluster: RestCluster): Promise<void>;
  port: number;
}

export interface ComplexStory {
  kubernetes?: 'real';
  workload?: Workload;
}

/**
 * Two clusters of three masters, one after another, from the request to nothing left. The API is asked every 100 ms for as long as the cluster
 * exists, and each service that works for the cluster is killed once.
 */
export function complexStory(title: string, { kubernetes, workload }: ComplexStory = {}): void {
  describe(title, () => {
    let cluster: RestCluster;
    let api: AskedAlways | undefined;
    let web: AskedAlways | undefined;

    beforeAll(async () => {
      cluster = await RestCluster.start('complex', kubernetes === undefined ? {} : { kubernetes });
    });
    afterAll(async () => {
      api?.stop();
      web?.stop();
      await cluster.close();
    });

    const begun = async (): Promise<void> => {
      api = new AskedAlways(`https://${await cluster.address()}:16443/version`);
      const [worker] = await cluster.of('worker');
      if (workload === undefined) return;
      await workload.begin(cluster);
      web = new AskedAlways(`http://${worker!.address}:${workload.port}/`);
    };

    /** Prints how the API and the workload answered outside during an operation, for the documentation. Returns the figures. */
    const noticed = (what: string) => {
      const seen = { api: api!.taken(), ...(web === undefined ? {} : { web: web.taken() }) };
      const beyond = seen.api.forMs > AIM ? `; the API was away for longer than the ${AIM / 1_000} s that are the aim` : '';
      process.stderr.write(`${what}: ${JSON.stringify(seen)}${beyond}\n`);
      return seen;
    };
    const unnoticed = (what: string): void => {
      const { api: ofApi, web: ofWeb } = noticed(what);
      expect({ api: ofApi.failed, web: ofWeb?.failed ?? 0 }, `${what}: ${ofApi.whys.join(', ')}`).toEqual({ api: 0, web: 0 });
    };
    const moved = (what: string): void => {
      const { api: ofApi, web: ofWeb } = noticed(what);
      expect(ofApi.forMs, ofApi.whys.join(', ')).toBeLessThan(NOT_MOVED);
      expect(ofWeb?.failed ?? 0).toBe(0);
    };

    /** Kills the kubelet of the virtual address's holder, and returns the holder. */
    const dyingHolder = async (): Promise<Machine> => {
      const holder = await cluster.holder();
      await cluster.run(holder, ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
      return holder;
    };

    it(
      'is made of three masters and two workers, and registered at the virtual address',
      async () => {
        await cluster.instantiate({ 'infra-driver': 'create-stack' });
        await cluster.agrees(3, 2);
        const [vim, ...others] = await cluster.vims();
        expect({ name: vim?.name, others }).toEqual({ name: 'kubernetes_vim_complex', others: [] });
        await begun();
      },
      WITHIN,
    );

    it(
      'has a worker come, while the service that works on the nodes dies, and go, without a question unanswered',
      async () => {
        await cluster.scale('worker', 'SCALE_OUT', {}, { 'k8s-mgmt': 'join-worker' });
        await cluster.agrees(3, 3);
        await cluster.scale('worker', 'SCALE_IN');
        await cluster.agrees(3, 2);
        unnoticed('a worker came and went');
      },
      WITHIN,
    );

    it(
      'grows to five masters while the coordinator dies, and shrinks to three, the holder of the address one of those that leave',
      async () => {
        await cluster.scale('master', 'SCALE_OUT', { numberOfSteps: 2 }, { 'saga-coordinator': 'install-runtime' });
        await cluster.agrees(5, 2);
        unnoticed('two masters came');
        const holder = await cluster.holder();
        const more = { numberOfSteps: 2, additionalParams: { leaving_vnfcs: [holder.id] } };
        await cluster.scale('master', 'SCALE_IN', more);
        await cluster.agrees(3, 2);
        expect((await cluster.machines()).map(({ id }) => id)).not.toContain(holder.id);
        moved('two masters went, the holder of the address one of them');
      },
      WITHIN,
    );

    // kubeadm's stand-in renews no certificate.
    it.runIf(kubernetes === 'real')(
      'has the certificates of its masters renewed, one after another, while the service that works on them dies',
      async () => {
        await cluster.renew({ 'k8s-mgmt': 'renew-certificates' });
        await cluster.agrees(3, 2);
        moved('the certificates were renewed');
      },
      WITHIN,
    );

    it(
      'has a worker healed without a question unanswered',
      async () => {
        const [, worker] = await cluster.of('worker');
        await cluster.heal([worker!]);
        await cluster.agrees(3, 2);
        const healed = (await cluster.of('worker')).find(({ id }) => id === worker!.id);
        expect(healed?.serverId).not.toBe(worker!.serverId);
        unnoticed('a worker was healed');
      },
      WITHIN,
    );

    it(
      'has the master healed that holds the address, its kubelet dead',
      async () => {
        const holder = await dyingHolder();
        await cluster.heal([holder]);
        await cluster.agrees(3, 2);
        const healed = (await cluster.of('master')).find(({ id }) => id === holder.id);
        expect(healed?.serverId).not.toBe(holder.serverId);
        moved('the holder of the address was healed');
      },
      WITHIN,
    );

    it(
      'is healed as a whole: every machine is another, and the cluster is registered anew',
      async () => {
        const before = (await cluster.machines()).map(({ serverId }) => serverId);
        const [vim] = await cluster.vims();
        await cluster.heal([]);
        await cluster.agrees(3, 2);
        const after = (await cluster.machines()).map(({ serverId }) => serverId);
        expect(after.filter((serverId) => before.includes(serverId))).toEqual([]);
        const [again, ...others] = await cluster.vims();
        expect({ name: again?.name, others }).toEqual({ name: vim?.name, others: [] });
        noticed('the whole was healed');
      },
      WITHIN,
    );

    it(
      'is terminated to nothing, and the same instance is instantiated again',
      async () => {
        api?.stop();
        web?.stop();
        await cluster.terminate();
        await cluster.instantiate();
        await cluster.agrees(3, 2);
        await cluster.terminate();
      },
      WITHIN,
    );
  });
}
