import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { ChartRig } from './support/chart-rig.js';

/** The policies of deploy/helm where the network enforces them: kube-router beside flannel, before anything of ours is there. */
let rig: ChartRig;
/** Addresses of pods, by a name of this file. */
const pods: Record<string, string> = {};

/** Says what came of a connection: `reached`, an error of the system, or `silence`. */
const PROBE =
  'const [host, port] = process.argv.slice(1); const say = (what) => { console.log(what); process.exit(); }; require("net").connect({ host, port: Number(port), timeout: 4000 }).on("connect", () => say("reached")).on("error", ({ code }) => say(code)).on("timeout", () => say("silence"));';
/** Listens, so that there is something to be kept from. */
const LISTENS = 'require("net").createServer((each) => each.end()).listen(8080, "0.0.0.0");';
const NAMESPACES = ['windlass', 'elsewhere'] as const;

/** A pod that is none of ours, with our image because it has node. */
const stranger = (namespace: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: stranger, namespace: ${namespace}, labels: { app: stranger } }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: stranger, image: 'windlass:0.1.0', args: [-e, '${LISTENS}'] }]
`;

beforeAll(async () => {
  rig = await ChartRig.start(['policy-engine']);
}, minutes(60));
afterAll(() => rig.close(), minutes(10));

/** Whether a connection from a pod to an address is there within four seconds. */
async function reaches(from: string, host: string, port: number): Promise<boolean> {
  const [namespace = '', pod = ''] = from.split('/');
  const of = `${pod === 'stranger' ? 'pod' : 'deployment'}/${pod}`;
  const said = await rig.person.run(`kubectl -n ${namespace} exec ${of} -- node -e '${PROBE}' ${host} ${port} 2>/dev/null`);
  expect(['reached', 'silence', 'ECONNREFUSED', 'EHOSTUNREACH']).toContain(said.trim());
  return said.trim() === 'reached';
}

/** Who asks, whom, at which port. */
type Question = [from: string, to: string, port: number];
const service = (name: string): string => `windlass/windlass-${name}`;
const POSTGRES = 'postgres.windlass.svc';
const NATS = 'nats.windlass.svc';

const strangers = NAMESPACES.map((namespace) => `${namespace}/stranger`);
/** What nobody is to reach. */
const kept = (): Question[] => [
  // From outside of the release: what is inside, PostgreSQL and NATS.
  ...strangers.flatMap((from): Question[] => [
    ...['lcm-api', 'infra-driver', 'saga-coordinator'].map((name): Question => [from, pods[name] ?? '', 9090]),
    [from, POSTGRES, 5432],
    [from, NATS, 4222],
  ]),
  // From within: PostgreSQL for those without its password; each other; pods of the cluster.
  ...SERVICES.filter(({ core }) => !core).map(({ name }): Question => [service(name), POSTGRES, 5432]),
  ...['infra-driver', 'lcm-api'].flatMap((name): Question[] => [
    [service(name), pods['saga-coordinator'] ?? '', 9090],
    [service(name), pods['stranger of windlass'] ?? '', 8080],
    [service(name), pods['stranger of elsewhere'] ?? '', 8080],
  ]),
];
/** What has to be reached all the same. */
const open = (): Question[] => [
  ...strangers.map((from): Question => [from, 'windlass-lcm-api.windlass.svc', 9890]),
  ['windlass/stranger', pods['stranger of elsewhere'] ?? '', 8080],
  ...SERVICES.map(({ name }): Question => [service(name), NATS, 4222]),
  ...SERVICES.filter(({ core }) => core).map(({ name }): Question => [service(name), POSTGRES, 5432]),
];

/** The questions whose answer is another one. */
async function otherwise(questions: readonly Question[], wanted: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const [from, to, port] of questions)
    if ((await reaches(from, to, port)) !== wanted) found.push(`${from} -> ${to}:${port}`);
  return found;
}

/** The address of a pod, which is waited for. */
const addressOf = (namespace: string, selector: string): Promise<string> =>
  rig.person
    .run(
      `kubectl -n ${namespace} get pods -l ${selector} --field-selector=status.phase=Running -o jsonpath={.items[0].status.podIP}`,
    )
    .then((said) => said.trim());

describe('the policies of the Helm chart, where the network enforces them', () => {
  it(
    'let services do their work: installed under them, a VNF is instantiated and terminated',
    async () => {
      const { pods: ofPods, services: ofServices } = rig.networks;
      const engine = await readFile(join(home, 'tests/kubernetes/support/policy-engine.yaml'), 'utf8');
      await rig.cluster.apply(engine.replace('SERVICES', ofServices));
      await rig.person.run('kubectl -n kube-system rollout status daemonset/policy-engine --timeout=5m', minutes(6));
      await rig.install(`--set 'networkPolicy.outsideExcept={${ofPods},${ofServices}}'`);
      expect(await rig.ready()).toEqual(Object.fromEntries(SERVICES.map(({ name }) => [name, 2])));
      const client = await rig.api();
      const { instance, operation } = await rig.instantiate(client, await rig.prepare(client));
      await rig.completed(operation);
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toHaveLength(1);
      await rig.completed(await (await rig.api()).accept(`${instance}/terminate`, { terminationType: 'FORCEFUL' }));
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toEqual([]);
    },
    minutes(30),
  );

  it(
    'keep strangers of both namespaces from what is inside, and services from what their policies do not name',
    async () => {
      await rig.person.run('kubectl create namespace elsewhere');
      for (const namespace of NAMESPACES) await rig.cluster.apply(stranger(namespace));
      for (const namespace of NAMESPACES) {
        await rig.person.run(`kubectl -n ${namespace} wait --for=condition=Ready pod/stranger --timeout=3m`);
        pods[`stranger of ${namespace}`] = await addressOf(namespace, 'app=stranger');
      }
      for (const { name } of SERVICES) pods[name] = await addressOf('windlass', `app.kubernetes.io/component=${name}`);
      expect(await otherwise(open(), true)).toEqual([]);
      expect(await otherwise(kept(), false)).toEqual([]);
    },
    minutes(15),
  );

  it(
    'are what keeps them: without policies all of it is reached',
    async () => {
      await rig.person.kubectl('delete networkpolicies --all');
      const reached = async (): Promise<true | undefined> =>
        (await otherwise(kept().slice(0, 1), true)).length === 0 ? true : undefined;
      await waitUntil(reached, { for: 'the network to forget the policies', within: minutes(2), every: seconds(1) });
      expect(await otherwise(kept(), true)).toEqual([]);
    },
    minutes(15),
  );
});
