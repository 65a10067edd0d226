import https from 'node:https';
import http from 'node:http';
import { hookContextOf, INSTANCE, packagesOf, PlanRunner } from '@windlass/driver-kit/testing';
import { millis, seconds, toJson, waitUntil, type JsonObject } from '@windlass/foundation';
import {
  allActions,
  installExternalLb,
  noteExposedPorts,
  restoreNodePorts,
  routeExternalLb,
  runExternalLbScript,
  verifyExternalLb,
  vnfc,
  type Route,
} from '@windlass/k8s-mgmt/testing';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import type { ActionContract, StepNode } from '@windlass/saga';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MastersLab } from '../control-plane/support/masters-lab.js';

const SERVICE = 30_080;

/** What stands for a worker: the port of a Service, and the kubelet's. */
const WORKER = `
require('node:http').createServer((_request, response) => response.end(require('node:os').hostname())).listen(${SERVICE});
require('node:net').createServer((socket) => socket.destroy()).listen(10250);
`;

/** A script of a package as the reference's is, with checks that HAProxy takes. */
const SCRIPT = `#!/bin/bash
while getopts m:w: option; do case $option in m) masters=$OPTARG ;; w) workers=$OPTARG ;; *) exit 2 ;; esac; done
sudo apt-get update -q && sudo DEBIAN_FRONTEND=noninteractive apt-get install -q -y haproxy || exit 3
{
  printf 'frontend kubernetes-apiserver\\n  mode tcp\\n  bind *:8383\\n  default_backend kubernetes-apiserver\\nbackend kubernetes-apiserver\\n  mode tcp\\n'
  for ip in \${masters//,/ }; do echo "  server master\${ip##*.} $ip:6443 check"; done
  printf 'backend kubernetes-nodeport\\n  mode tcp\\n  default-server port 10250\\n'
  for ip in \${masters//,/ } \${workers//,/ }; do echo "  server node\${ip##*.} $ip check"; done
} | sudo tee -a /etc/haproxy/haproxy.cfg > /dev/null
sudo systemctl restart haproxy
`;
const FILE = 'Scripts/ExternalLB_installation.sh';

/** A machine of its own before a cluster of stand-ins, with the product's actions by real SSH. */
describe('an external load balancer in the lab', () => {
  let lab: MastersLab;
  let machine: JsonObject;
  let balancer: string;
  let routes: { masters: Route[]; workers: Route[] };
  let asked: JsonObject;
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  const actions = allActions({ hosts, packages: packagesOf({ [FILE]: SCRIPT }) });
  let runs = 0;

  const addressIn = (last: number): string => lab.fleet.network.firstAddress.replace(/\d+$/, String(last));

  async function boot(name: string, last: number): Promise<JsonObject> {
    const of = { ...vnfc('worker', last, addressIn(last)), name };
    const nics = [
      { mac: `fa:16:3e:00:02:${last.toString(16)}`, address: addressIn(last), prefixLength: 24, allowedAddresses: [] },
    ];
    await lab.fleet.boot({ serverId: of.resourceId, name, imageName: 'debian-12', nics, volumes: [] });
    await lab.fleet.ready(of.resourceId);
    return toJson({ name, vnfc: of, sshCp: 'workerNode_CP2', username: 'ubuntu', password: 'ubuntu' }) as JsonObject;
  }

  const on = async (input: JsonObject, text: string): Promise<string> => {
    const { resourceId } = input.vnfc as { resourceId: string };
    const { status, stdout, stderr } = await lab.fleet.exec(resourceId, ['sh', '-ec', text]);
    if (status !== 0) throw new Error(`${text}: exit status ${String(status)}: ${stderr}`);
    return stdout.trim();
  };

  async function worker(last: number): Promise<Route> {
    const input = await boot(`worker${last}`, last);
    await lab.fleet.exec((input.vnfc as { resourceId: string }).resourceId, ['tee', '/root/worker.cjs'], { input: WORKER });
    await on(input, 'systemd-run --quiet --unit=worker /opt/windlass-lab/bin/node /root/worker.cjs');
    return { name: `worker${last}`, address: addressIn(last) };
  }

  beforeAll(async () => {
    lab = await MastersLab.start('standins', 1);
    balancer = addressIn(60);
    const [master] = lab.masters;
    const { version } = lab;
    const cluster = {
      address: master!.address,
      publicAddress: balancer,
      podCidr: '10.244.0.0/16',
      serviceCidr: '10.96.0.0/12',
      nodes: [{ name: master!.name, role: 'master', address: master!.address }],
      noProxy: '',
    };
    const [, , made] = await Promise.all([
      lab.perform('init-control-plane', master!, { kubernetes: { version, aptUrl: null }, cluster }),
      Promise.all([worker(61), worker(62)]).then((workers) => {
        routes = { masters: [{ name: master!.name, address: master!.address }], workers };
      }),
      boot('externalLB', 60),
    ]);
    machine = made;
    asked = { masters: [master!.input] };
  });
  afterAll(async () => {
    hosts.close();
    await lab.end();
  });

  function runner<Input>(action: ActionContract<Input>, more: JsonObject): PlanRunner {
    runs += 1;
    const input = toJson({ instance: INSTANCE, machine, ...more }) as JsonObject;
    const id = `${action.name}:${runs}`;
    const step: StepNode = { kind: 'step', id, action: action.name, version: action.version, service: action.service, input };
    return new PlanRunner({ root: step }, { actions, hook: hookContextOf(), params: {} });
  }
  const run = async <Input>(action: ActionContract<Input>, more: JsonObject) => {
    const made = runner(action, more);
    await made.run();
    return made.outputs.get(made.steps[0]!.id);
  };
  const handled = <Input>(action: ActionContract<Input>, more: JsonObject) => {
    const made = runner(action, more);
    const { id } = made.steps[0]!;
    return { action: made.action(id), run: made.runOf(id) };
  };

  const body = (request: http.ClientRequest): Promise<string> =>
    new Promise((resolve) => {
      request.on('error', (error) => resolve(error.message));
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      });
    });
  const atService = () => body(http.get({ host: balancer, port: SERVICE, agent: false }));
  const reached = (...names: string[]): Promise<true> =>
    waitUntil(
      async (seen) => {
        const found = [...new Set(await Promise.all(Array.from({ length: 10 }, atService)))].sort().join(' ');
        seen(found);
        return found === names.join(' ') ? true : undefined;
      },
      { for: `the Service to be reached on ${names.join(', ')}`, within: seconds(20), every: millis(200) },
    );
  const nodes = (...workers: string[]): Route[] => [
    ...routes.masters,
    ...routes.workers.filter(({ name }) => workers.includes(name)),
  ];
  const has = (): JsonObject => ({ routes: toJson(routes) });

  it('is installed from the distribution, and the cluster’s API answers through it with a certificate that is its own', async () => {
    await run(installExternalLb, has());
    await run(verifyExternalLb, asked);
    const answer = await body(
      https.get({ host: balancer, port: 8_383, path: '/readyz', rejectUnauthorized: false, agent: false }),
    );
    expect(answer).toMatch(/^ok$|Unauthorized|Forbidden/);
    const { action, run: claim } = handled(installExternalLb, has());
    expect(await action.check?.(claim)).toBe(true);
  });

  it('made anew, serves the ports that were open before, and not those of the cluster’s other Services', async () => {
    const service = (name: string, nodePort: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort, protocol: 'TCP' }], selector: { app: name } },
    });
    const items = [service('web', SERVICE), service('inside', SERVICE + 1)];
    const list = { apiVersion: 'v1', kind: 'List', items };
    await lab.kubectl(lab.masters[0]!, `apply -f - <<'END'\n${JSON.stringify(list)}\nEND\n`);
    expect(await run(restoreNodePorts, asked), 'nobody has noted anything').toEqual({
      notes: [expect.stringContaining('none is open. Services of the type NodePort: ')],
    });
    const before = await on(machine, 'cat /etc/haproxy/haproxy.cfg | base64 -w0');
    const opens = `frontend default_web\n  mode tcp\n  bind *:${SERVICE}\n  default_backend kubernetes-nodeport\n`;
    await on(machine, `printf '${opens}' >> /etc/haproxy/haproxy.cfg`);
    expect(await run(noteExposedPorts, asked)).toBeUndefined();
    await on(machine, `echo ${before} | base64 -d > /etc/haproxy/haproxy.cfg`);
    expect(await run(restoreNodePorts, asked)).toEqual({ notes: [expect.stringContaining('before: default/web (30080)')] });
    expect(await on(machine, 'cat /etc/haproxy/haproxy.cfg')).not.toContain(String(SERVICE + 1));
    await reached('worker61', 'worker62');
  });

  it('takes a route out and in again by a reload: its master process stays', async () => {
    const pid = () => on(machine, 'systemctl show --property=MainPID --value haproxy');
    const before = await pid();
    await run(routeExternalLb, { nodes: toJson(nodes('worker61')) });
    await reached('worker61');
    const { action, run: claim } = handled(routeExternalLb, {
      nodes: toJson(nodes('worker61')),
      before: toJson(nodes('worker61', 'worker62')),
    });
    expect(await action.check?.(claim)).toBe(true);
    await action.undo?.({ ...claim, phase: 'undo' });
    await reached('worker61', 'worker62');
    expect(await pid()).toBe(before);
  });

  it('keeps the file that runs where HAProxy refuses another, and shows why', async () => {
    await on(machine, 'echo "frontend of-somebody" >> /etc/haproxy/haproxy.cfg; echo "    nonsense" >> /etc/haproxy/haproxy.cfg');
    const before = await on(machine, 'sha256sum /etc/haproxy/haproxy.cfg');
    await expect(run(routeExternalLb, { nodes: toJson(nodes('worker61')) })).rejects.toThrow(/unknown keyword 'nonsense'/);
    expect(await on(machine, 'sha256sum /etc/haproxy/haproxy.cfg')).toBe(before);
    await reached('worker61', 'worker62');
  });

  it('is gone when it is undone', async () => {
    const { action, run: claim } = handled(installExternalLb, has());
    await action.undo?.({ ...claim, phase: 'undo' });
    const left = await on(
      machine,
      'for each in /etc/haproxy /var/lib/windlass-external-lb; do if [ -e "$each" ]; then echo "$each"; fi; done; systemctl is-active haproxy || true',
    );
    expect(left).toBe('inactive');
  });

  it('may be a script’s of the package, which is told the nodes; its file is routed as ours', async () => {
    const sha256 = createHash('sha256').update(SCRIPT).digest('hex');
    const script = { vnfPkgId: 'a-package', path: FILE, size: SCRIPT.length, sha256 };
    await run(runExternalLbScript, { ...has(), script, withinMs: 300_000 });
    // The stand-in master has a kubelet and nothing at the Service's port, and this script's file does not try another.
    const [one, other] = routes.workers as [Route, Route];
    await run(routeExternalLb, { nodes: toJson([one, other]) });
    await run(verifyExternalLb, asked);
    await run(restoreNodePorts, asked);
    await reached('worker61', 'worker62');
    await run(routeExternalLb, { nodes: toJson([other]) });
    await reached('worker62');
    expect(await on(machine, 'grep -c "server node" /etc/haproxy/haproxy.cfg')).toBe('1');
  });
});
