import { rm } from 'node:fs/promises';
import https from 'node:https';
import path from 'node:path';
import { hookContextOf, PlanRunner } from '@windlass/driver-kit/testing';
import { testCertificates } from '@windlass/embedded/testing';
import { millis, seconds, toJson, waitUntil, type Duration, type JsonObject } from '@windlass/foundation';
import { allActions, onNode, vnfc, type LoadBalancer, type NodeInput } from '@windlass/k8s-mgmt/testing';
import { evidence } from '@windlass/foundation/testing';
import { HostFleet, installHostPackages, sharedCache } from '@windlass/lab';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import type { ActionContract, StepNode } from '@windlass/saga';
import { rigFolder } from '../../support/rig-folder.js';

/** A stand-in for an API server on a VM: it answers with the VM's name, and on /readyz with a file's text, after so many ms. */
const API_SERVER = `
const fs = require('node:fs');
const [status, slow] = ['/root/ready', '/root/slow'];
require('node:https').createServer({ key: fs.readFileSync('/root/key'), cert: fs.readFileSync('/root/cert') }, (request, response) => {
  const wait = request.url === '/readyz' && fs.existsSync(slow) ? Number(fs.readFileSync(slow, 'utf8')) : 0;
  const code = request.url === '/readyz' && fs.existsSync(status) ? Number(fs.readFileSync(status, 'utf8')) : 200;
  setTimeout(() => response.writeHead(code).end(require('node:os').hostname()), wait);
}).listen(6443);
`;

/** VMs of the lab as masters behind a load balancer, and the balancer's real actions over real SSH. */
export async function labBalancers(count: number) {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await installHostPackages(log);
  const dataDir = await rigFolder('windlass-balancers-');
  const fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, standins: [] });
  const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
  const end = async (): Promise<void> => {
    hosts.close();
    await fleet.stop();
    await rm(dataDir, { recursive: true });
  };
  try {
    const vip = addressIn(fleet, 99);
    const masters = await Promise.all(Array.from({ length: count }, (_, n) => bootMaster(fleet, n, vip)));
    return new LabBalancers(fleet, hosts, masters, vip, dataDir, end);
  } catch (error) {
    await evidence.setAside(dataDir);
    await end();
    throw error;
  }
}

const addressIn = (fleet: HostFleet, last: number): string => fleet.network.gateway.replace(/\d+$/, String(last));

async function bootMaster(fleet: HostFleet, n: number, vip: string): Promise<NodeInput> {
  const address = addressIn(fleet, 20 + n);
  const of = vnfc('master', n, address);
  const mac = `fa:16:3e:00:02:${(20 + n).toString(16)}`;
  const name = `master${20 + n}`;
  const nics = [{ mac, address, prefixLength: 24, allowedAddresses: [vip] }];
  await fleet.boot({ serverId: of.resourceId, name, imageName: 'debian-12', nics, volumes: [] });
  await fleet.ready(of.resourceId);
  return { name, address, role: 'master', vnfc: of, sshCp: 'masterNode_CP1', username: 'ubuntu', password: 'ubuntu' };
}

/** The input of an action beside the input of every step on a node. */
type OwnInput<Input> = Omit<Input, Exclude<keyof ReturnType<typeof onNode>, 'masters'>>;

export class LabBalancers {
  #runs = 0;

  constructor(
    readonly fleet: HostFleet,
    private readonly hosts: RemoteHosts,
    readonly masters: readonly NodeInput[],
    readonly vip: string,
    private readonly folder: string,
    readonly end: () => Promise<void>,
  ) {}

  /** The load balancer of some masters. */
  balancer(of: readonly NodeInput[], vip = this.vip): LoadBalancer {
    return { vip, backends: of.map(({ name, address }) => ({ name, address })), holders: of.map(({ address }) => address) };
  }

  /** Runs an action on a node, as a worker would. */
  async run<Input>(action: ActionContract<Input>, node: NodeInput, more: OwnInput<Input>): Promise<void> {
    await this.#runner(action, node, more).run();
  }

  /** Whether an action has nothing to do on a node. */
  async isDone<Input>(action: ActionContract<Input>, node: NodeInput, more: OwnInput<Input>): Promise<boolean> {
    const runner = this.#runner(action, node, more);
    const [step] = runner.steps;
    return (await runner.action(step!.id).check?.(runner.runOf(step!.id))) === true;
  }

  async undo<Input>(action: ActionContract<Input>, node: NodeInput, more: OwnInput<Input>): Promise<void> {
    const runner = this.#runner(action, node, more);
    const [step] = runner.steps;
    await runner.action(step!.id).undo?.(runner.runOf(step!.id, { phase: 'undo' }));
  }

  #runner<Input>(action: ActionContract<Input>, node: NodeInput, more: object): PlanRunner {
    this.#runs += 1;
    const given: object = { ...onNode(node), ...more };
    const input = toJson(given) as JsonObject;
    const id = `${action.name}:${node.name}:${this.#runs}`;
    const step: StepNode = { kind: 'step', id, action: action.name, version: action.version, service: action.service, input };
    const onProgress = (id: string, line: string): void => void process.stderr.write(`${id}: ${line}\n`);
    const actions = allActions({ hosts: this.hosts });
    return new PlanRunner({ root: step }, { actions, hook: hookContextOf(), params: {}, onProgress });
  }

  /** Runs shell text on a master as root, and returns the output. */
  async on({ vnfc: { resourceId }, name }: NodeInput, text: string): Promise<string> {
    const { status, stdout, stderr } = await this.fleet.exec(resourceId, ['sh', '-ec', text]);
    if (status !== 0) throw new Error(`on ${name}: ${text}: exit status ${String(status)}: ${stderr}`);
    return stdout.trim();
  }

  /** Starts the stand-ins for the API servers. */
  async startApiServers(): Promise<void> {
    const certificates = testCertificates(path.join(this.folder, 'certificates'), 'kubernetes');
    await Promise.all(
      this.masters.map(async (master) => {
        const files = { key: certificates.read('server.key'), cert: certificates.read('server.pem'), 'api.cjs': API_SERVER };
        for (const [name, input] of Object.entries(files))
          await this.fleet.exec(master.vnfc.resourceId, ['tee', `/root/${name}`], { input });
        await this.startApiServer(master);
      }),
    );
  }

  /** Starts a stand-in, and waits for its answer. */
  startApiServer(master: NodeInput): Promise<string> {
    const program = 'systemd-run --quiet --unit=api --property=Restart=always /opt/windlass-lab/bin/node /root/api.cjs';
    return this.on(master, `${program}; curl -sk --retry 60 --retry-delay 1 --retry-connrefused https://127.0.0.1:6443/who`);
  }

  /** The running masters that have the virtual address. */
  async holders(vip = this.vip): Promise<NodeInput[]> {
    const holds = async (master: NodeInput): Promise<boolean> =>
      this.fleet.isRunning(master.vnfc.resourceId) &&
      (await this.on(master, `ip -o -4 addr show to ${vip}`).catch(() => '')) !== '';
    const held = await Promise.all(this.masters.map(holds));
    return this.masters.filter((_, at) => held[at]);
  }

  /** Waits until exactly one master has the virtual address, and returns it. */
  holder(among: readonly NodeInput[] = this.masters): Promise<NodeInput> {
    return waitUntil(
      async (seen) => {
        const holders = (await this.holders()).filter((master) => among.includes(master));
        seen(holders.map(({ name }) => name).join(', '));
        return holders.length === 1 ? holders[0] : undefined;
      },
      { for: 'one master to have the virtual address', within: seconds(60), every: millis(100) },
    );
  }

  /** Asks at the virtual address, over a new connection. Returns the answering master's name, or the fault. A late answer of a busy machine is an answer. */
  ask(within: Duration = seconds(30)): Promise<{ name?: string; fault?: string }> {
    return new Promise((resolve) => {
      const options = { host: this.vip, port: 16_443, path: '/who', rejectUnauthorized: false, agent: false as const };
      const fault = (error: Error): void => resolve({ fault: error.message });
      const request = https.get(options, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ name: text }));
        response.on('error', fault);
      });
      request.setTimeout(within, () => request.destroy(new Error('no answer in time')));
      request.on('error', fault);
    });
  }

  /** Asks every 100 ms during the work, and then until there is an answer again. Returns the longest time without an answer. */
  async away(work: () => Promise<unknown>, settled: () => Promise<boolean>): Promise<Duration> {
    let [last, longest] = [performance.now(), 0];
    const asked: Promise<void>[] = [];
    const note = async (): Promise<void> => {
      // Requests that hang are waited for at the end.
      if ((await this.ask(seconds(5))).name === undefined) return;
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    };
    const asking = setInterval(() => void asked.push(note()), 100);
    try {
      await work();
      await waitUntil(async () => ((await settled()) ? true : undefined), {
        for: 'the virtual address to be elsewhere',
        within: seconds(90),
        every: millis(100),
      });
      const after = performance.now();
      await waitUntil(() => Promise.resolve(last > after ? true : undefined), {
        for: 'an answer at the virtual address',
        within: seconds(90),
        every: millis(20),
      });
      // Taken before the hanging requests end: these are no measure.
      return millis(longest);
    } finally {
      clearInterval(asking);
      await Promise.all(asked);
    }
  }
}
