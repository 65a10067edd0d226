import https from 'node:https';
import { minutes, seconds, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import type { StepView } from '@windlass/windlass';
import type { LabKubernetes } from '@windlass/workbench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEB, WEB_PORT } from '../../kubernetes/support/web.js';
import { AskedAlways } from '../../support/asked-always.js';
import { nodesCome } from '../../support/nodes-come.js';
import { ContainersBehindIt } from './containers-behind-it.js';
import { KubesprayLab } from './kubespray-lab.js';
import { ONCE_CLEANED_UP } from '../../support/cleaned-up.js';

let lab: KubesprayLab;
let before: string;
let vims: unknown;
let traces: string;
/** The requests to a real cluster's workload through the load balancer. */
let web: AskedAlways | undefined;

/** Checks that a hook had these steps in this order, among others. */
function inOrder(steps: readonly StepView[], hook: string, expected: readonly string[]): void {
  const wanted = new Set(expected.map((id) => `${hook}/${id}`));
  expect(steps.map(({ id }) => id).filter((id) => wanted.has(id))).toEqual([...wanted]);
}

/** Checks that cluster, inventory, load balancer and instance have exactly so many workers. */
async function agree(workers: number): Promise<void> {
  const nodes = [...(await lab.vnfcs('masterNode')), ...(await lab.vnfcs('workerNode'))];
  expect(nodes).toHaveLength(1 + workers);
  await nodesCome(() => lab.nodes(), nodes.map((node) => `${lab.nameOf(node)} True`).sort()); // prettier-ignore
  expect(await lab.routes()).toEqual(nodes.map((node) => lab.addressOf(node)).sort());
  const inventory = await lab.ansible.inventory(lab.instanceId);
  expect([...inventory.matchAll(/ansible_host: "(\S+)"/g)].map(([, address]) => address).sort()).toEqual(
    nodes.map((node) => lab.addressOf(node)).sort(),
  );
}

/** The answer of the cluster's API through the load balancer. */
async function throughBalancer(): Promise<string> {
  const host = lab.addressOf(await lab.balancer());
  return new Promise((resolve) => {
    const request = https.get({ host, port: 8_383, path: '/readyz', rejectUnauthorized: false, agent: false });
    request.on('error', (error) => resolve(error.message));
    request.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve(text));
    });
  });
}

const service = (name: string, nodePort: number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { type: 'NodePort', ports: [{ port: 80, nodePort, protocol: 'TCP' }], selector: { app: name } },
});

const apply = (manifest: string): Promise<string> => lab.kubectl(['apply', '-f', '-'], manifest);

/** The command by which a person opens a port of a Service on the load balancer. */
const OPENED = String.raw`printf '\nfrontend default_web\n    mode tcp\n    bind *:30080\n    default_backend kubernetes-nodeport\n' >> /etc/haproxy/haproxy.cfg && systemctl reload haproxy`;

/** The number of ready pods of the workload. */
async function readyPods(): Promise<number> {
  const ready = await lab.kubectl(['get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}']);
  return Number(ready);
}

/** Ten answers of the workload through the load balancer, each over its own connection. */
async function askedOutside(): Promise<string[]> {
  const address = lab.addressOf(await lab.balancer());
  return Promise.all(
    Array.from({ length: 10 }, async () => {
      const answer = await fetch(`http://${address}:${WEB_PORT}/`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(seconds(20)),
      });
      return `${answer.status} ${(await answer.text()).trim()}`;
    }),
  );
}

/** Prints how the workload answered outside during an operation, for the documentation. Returns the number of failed requests. */
async function noticed(what: string): Promise<number> {
  if (web === undefined) return 0;
  expect(new Set(await askedOutside())).toEqual(new Set(['200 here']));
  const seen = web.taken();
  process.stderr.write(`${what}: ${JSON.stringify(seen)}\n`);
  return seen.failed;
}

/** Tests a cluster by kubespray from its request to nothing left. @param within the limit of an operation with its checks */
export function kubesprayStory(kubernetes: LabKubernetes, within: Duration): void {
  const real = kubernetes === 'real';
  describe(`a cluster by kubespray through REST, with an Ansible server and a load balancer (${kubernetes})`, () => {
    beforeAll(async () => {
      lab = await KubesprayLab.start(kubernetes);
      before = JSON.stringify(lab.deployed.lab.emulator.inventory());
      vims = await lab.deployed.api.get('/v1.0/vims');
      traces = await lab.ansible.traces();
    });
    afterAll(async () => {
      web?.stop();
      await lab.close();
    });

    it(
      'is made of the document’s own body in the order of the document, and becomes a VIM at the load balancer',
      async () => {
        const { steps, warnings } = await lab.done('instantiate', await lab.documentBody(), {
          'infra-driver': 'create-stack',
          'k8s-mgmt': 'run-playbook',
        });
        // The document: inventory generated and sent (9), cluster.yml (10, 11), the load balancer's script (15); then the VIM.
        inOrder(steps, 'instantiate_end', [
          'check-ansible',
          'prepare-inventory',
          'write-inventory',
          'run-playbook:cluster',
          'verify-cluster',
          'create-admin-account',
          'install-external-lb',
          'verify-external-lb',
          'register-vim',
        ]);
        expect(warnings).toContain('pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16');
        await agree(2);
        const { vims: now } = await lab.deployed.api.get<{ vims: JsonObject[] }>('/v1.0/vims');
        const address = lab.addressOf(await lab.balancer());
        expect(now).toContainEqual(
          expect.objectContaining({ name: 'kubernetes_vim', type: 'kubernetes', auth_url: `https://${address}:8383` }),
        );
        expect(await throughBalancer()).toMatch(/^ok$|Unauthorized|Forbidden/);
      },
      within,
    );

    it('has what the request says: addresses of pods, the links’ MTU without the encapsulation, the load balancer in the certificate', async () => {
      const [master] = await lab.vnfcs('masterNode');
      expect(await lab.kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].spec.podCIDR}'])).toMatch(/^192\.168\./);
      const service = await lab.kubectl(['get', 'service', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}']);
      expect(service).toBe('10.199.187.1');
      // calico_mtu is for Calico alone; the real cluster has flannel, which finds the link's MTU by itself.
      if (!real) expect(await lab.said(master!, 'cat', '/etc/cni/net.d/10-calico.conflist')).toContain('"mtu": 1450');
      const names = await lab.said(
        master!,
        ...['openssl', 'x509', '-noout', '-ext', 'subjectAltName', '-in', '/etc/kubernetes/pki/apiserver.crt'],
      );
      expect(names).toContain(lab.addressOf(await lab.balancer()));
    });

    it('keeps no password on the Ansible server', async () => {
      const found = await lab.ansible.said(
        'grep -rlE "password[12]|\\bubuntu\\b.*ubuntu" /home/ansible/inventories /home/ansible/.local || true',
      );
      expect(found).toBe('');
    });

    it(
      'has the port of a Service that a person opened on the load balancer; on a real cluster two pods answer at it',
      async () => {
        await apply(
          JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [service('web', 30_080), service('inside', 30_081)] }),
        );
        if (real) {
          await apply(WEB);
          await waitUntil(async () => ((await readyPods()) === 2 ? true : undefined), {
            for: 'both pods to be ready',
            within: minutes(3),
            every: seconds(1),
          });
        }
        await lab.said(await lab.balancer(), '/bin/sh', '-c', OPENED);
        if (!real) return;
        expect(new Set(await askedOutside())).toEqual(new Set(['200 here']));
        web = new AskedAlways(`http://${lab.addressOf(await lab.balancer())}:${WEB_PORT}/`);
      },
      within,
    );

    it(
      'gets a worker: facts of all, scale.yml, then its route',
      async () => {
        const { steps } = await lab.done(
          'scale',
          { type: 'SCALE_OUT', aspectId: 'worker_instance' },
          { 'saga-coordinator': 'run-playbook' },
        );
        // The document: inventory (1), scale.yml (2), the route by the load balancer's script (3, 4).
        inOrder(steps, 'scale_end', [
          'check-ansible',
          'prepare-inventory',
          'write-inventory',
          'run-playbook:facts',
          'run-playbook:scale',
          'verify-cluster',
          'route-external-lb',
        ]);
        await agree(3);
        expect(await noticed('a worker came'), 'questions that failed').toBe(0);
      },
      within,
    );

    it(
      'has a worker healed: its route goes, its pods, then the node; what comes in its place joins',
      async () => {
        const [worker] = await lab.vnfcs('workerNode');
        const name = lab.nameOf(worker!);
        const { steps, warnings } = await lab.done('heal', { vnfcInstanceId: [worker!.id], cause: 'it is slow' });
        inOrder(steps, 'heal_start', [
          ...['route-external-lb', `cordon-node:${name}`, `drain-node:${name}`, 'remove-workers', 'write-inventory:after'],
        ]);
        inOrder(steps, 'heal_end', ['write-inventory', 'run-playbook:facts', 'run-playbook:scale', 'route-external-lb']);
        expect(warnings.join()).not.toContain('did not reach');
        const healed = (await lab.vnfcs('workerNode')).find(({ id }) => id === worker!.id);
        expect(healed?.computeResource.resourceId).not.toBe(worker!.computeResource.resourceId);
        await agree(3);
        expect(await noticed('a worker was healed'), 'questions that failed').toBe(0);
      },
      within,
    );

    it(
      'has a worker healed that nobody reaches: nothing is done on it, and the operation says so',
      async () => {
        const [, worker] = await lab.vnfcs('workerNode');
        const name = lab.nameOf(worker!);
        await lab.deployed.lab.fleet.drop(worker!.computeResource.resourceId);
        const { warnings } = await lab.done('heal', { vnfcInstanceId: [worker!.id], cause: 'no answer' });
        expect(warnings).toContainEqual(
          expect.stringContaining(`the Ansible server did not reach ${name}: taken out of the cluster`),
        );
        await agree(3);
        await noticed('a worker was healed whose plug was pulled');
      },
      within,
    );

    it('refuses to heal a master, with the reason, and begins nothing', async () => {
      const [master] = await lab.vnfcs('masterNode');
      const operations = await lab.deployed.api.list('/vnflcm/v1/vnf_lcm_op_occs');
      await expect(lab.deployed.api.accept(`${lab.path}/heal`, { vnfcInstanceId: [master!.id] })).rejects.toThrow(
        /is a master that kubespray made, and kubespray has no playbook for the healing of one/,
      );
      expect(await lab.deployed.api.list('/vnflcm/v1/vnf_lcm_op_occs')).toHaveLength(operations.length);
    });

    it(
      'has its load balancer healed with all routes and the port that was open on it, not that of another Service',
      async () => {
        const balancer = await lab.balancer();
        const { steps, warnings } = await lab.done('heal', { vnfcInstanceId: [balancer.id], cause: 'it hangs' });
        inOrder(steps, 'heal_start', ['note-exposed-ports']);
        inOrder(steps, 'heal_end', ['install-external-lb', 'restore-node-ports', 'note-exposed-ports', 'verify-external-lb']);
        expect(warnings).toContainEqual(expect.stringContaining('were open before: default/web (30080)'));
        expect((await lab.balancer()).computeResource.resourceId).not.toBe(balancer.computeResource.resourceId);
        expect(await lab.configuration()).toMatch(/^frontend default_web$/m);
        expect(await lab.configuration()).not.toContain('30081');
        await agree(3);
        expect(await throughBalancer()).toMatch(/^ok$|Unauthorized|Forbidden/);
        await noticed('the load balancer was healed');
      },
      within,
    );

    it(
      'loses a worker: its route, its pods, remove-node.yml, and last its line in the inventory',
      async () => {
        const { steps } = await lab.done('scale', { type: 'SCALE_IN', aspectId: 'worker_instance' });
        // The document: the route (1, 2), the pods (3), remove-node.yml (4), which kubespray wants the node in its inventory for.
        const wanted = ['route-external-lb', 'cordon-node', 'drain-node', 'remove-workers', 'write-inventory'];
        const kinds = steps.map(({ action }) => action).filter((kind) => wanted.includes(kind));
        expect(kinds.slice(-5)).toEqual(wanted);
        await agree(2);
        expect(await lab.configuration(), 'what others opened stays').toMatch(/^frontend default_web$/m);
        expect(await noticed('a worker went'), 'questions that failed').toBe(0);
      },
      within,
    );

    it(
      'is healed as a whole: every VM in its place, another cluster, whose ports outward a person opens anew',
      async () => {
        web?.stop();
        web = undefined;
        const were = (await lab.vnfcs()).map(({ computeResource }) => computeResource.resourceId);
        const { steps } = await lab.done('heal', { cause: 'all of it is slow' });
        inOrder(steps, 'heal_end', ['prepare-inventory', 'run-playbook:cluster', 'install-external-lb', 'register-vim']);
        for (const { computeResource } of await lab.vnfcs()) expect(were).not.toContain(computeResource.resourceId);
        await agree(2);
        expect(await throughBalancer()).toMatch(/^ok$|Unauthorized|Forbidden/);
        expect(await lab.configuration()).not.toContain('30080');
      },
      within,
    );

    it(
      'has a VNF of containers reached through its load balancer, after the VNF and the cluster have scaled, too, and by nobody when it is gone',
      async () => {
        const containers = await ContainersBehindIt.make(lab, real);
        await containers.isReached();
        await containers.done('scale', { type: 'SCALE_OUT', aspectId: 'web' });
        await containers.isReached();
        await lab.done('scale', { type: 'SCALE_OUT', aspectId: 'worker_instance' });
        await agree(3);
        await containers.isReached();
        await containers.done('heal', {});
        await containers.isReached();
        await containers.done('terminate', { terminationType: 'FORCEFUL' });
        await containers.isGone();
      },
      within,
    );

    it(
      'is terminated: neither VM nor VIM is left, nor anything of the instance on the Ansible server',
      async () => {
        await lab.done('terminate', { terminationType: 'FORCEFUL' });
        await expect.poll(() => JSON.stringify(lab.deployed.lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
        expect(await lab.deployed.api.get('/v1.0/vims')).toEqual(vims);
        expect(await lab.ansible.traces()).toBe(traces);
      },
      within,
    );
  });
}
