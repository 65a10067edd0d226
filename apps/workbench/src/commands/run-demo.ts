import { seconds, type JsonObject } from '@windlass/foundation';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  Deployment,
  displayFor,
  onboard,
  text,
  untilStopSignal,
  operationWarnings,
  settingsOf,
  watchOperation,
  type SettingOptions,
  type Surroundings,
} from '@windlass/windlass';
import { dashboardLines, watched } from './demo-ui.js';
import { showPodsThatAnswer } from './pods-that-answer.js';
import { labEnvironment } from '../lab/bring-lab.js';
import { startLab, type LabKubernetes, type RunningLab } from '../lab/lab.js';
import { LabRun } from '../lab/lab-run.js';
import { registerLab } from '../lab/register-lab.js';

const INSTANCES = '/vnflcm/v1/vnf_instances';

/** What the demo is asked for. */
export interface DemoOptions extends SettingOptions {
  keep?: boolean;
  ui?: boolean;
  kubernetes: LabKubernetes;
}

/** Whatever happens, what was begun is ended in the reverse order. */
export async function demo(where: Surroundings, { keep = false, ui = false, kubernetes, ...given }: DemoOptions): Promise<void> {
  const begun = performance.now();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const settings = await settingsOf(where, given, kubernetes, say);
  const signals = untilStopSignal();
  const dataDir = join(await realpath(tmpdir()), `windlass-demo-${randomUUID()}`);
  const run = await LabRun.begin(where.cache, dataDir, true);
  const ends: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true })];
  try {
    await mkdir(dataDir, { mode: 0o700 });
    say('== the lab: an OpenStack whose servers are machines on this one ==');
    const lab = await startLab({ dataDir, cache: where.cache, run, kubernetes, say: (line) => say(`  ${line}`) });
    ends.push(() => lab.stop());
    signals.signal.throwIfAborted();
    say('== the services: PostgreSQL, NATS and a process each ==');
    const deployment = await Deployment.start({
      home: where.home,
      dataDir,
      port: 0,
      durable: false,
      say: (line) => say(`  ${line}`),
      signal: signals.signal,
      environment: (service) => {
        const told = settings.environment(service);
        return { ...told, ...labEnvironment(lab)(service, told) };
      },
    });
    lab.emulator.registerVnfm(deployment.url);
    // An interrupted demo keeps nothing of what its services are at.
    ends.push(() => deployment.stop(signals.signal.aborted ? seconds(3) : undefined));
    say(
      `  ready after ${((performance.now() - begun) / 1_000).toFixed(1)} s: ${deployment.processes.map(({ name, pid }) => `${name} (${pid ?? '?'})`).join(', ')}`,
    );
    if (ui) for (const line of dashboardLines({ ...deployment.secrets, url: deployment.url })) say(line);
    await mainJob(where, {
      api: new ApiClient(deployment.url, deployment.secrets.token),
      lab,
      say,
      signal: signals.signal,
      keep: keep || ui,
      ui,
      stopSignalled: signals.stopSignalled,
    });
  } catch (error) {
    if (!signals.signal.aborted) throw error;
    say('interrupted: cleaning up');
    process.exitCode = 130;
  } finally {
    await endAll(ends.reverse());
    await run.end();
    say(`done in ${((performance.now() - begun) / 1_000).toFixed(1)} s; nothing is left but the cache in ${where.cache}`);
  }
}

/** Each of them, though one before it failed. @throws what the first one that failed threw: the next start removes what is left */
async function endAll(ends: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends) await end().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

interface Stage {
  api: ApiClient;
  lab: RunningLab;
  say: (line: string) => void;
  signal: AbortSignal;
  keep: boolean;
  /** Somebody watches in the dashboard. */
  ui: boolean;
  stopSignalled: Promise<void>;
}

/** Onboard, instantiate, look, terminate. */
async function mainJob(where: Surroundings, stage: Stage): Promise<void> {
  const { api, lab, say } = stage;
  await registerLab(api, lab);
  say('== the VNF package: samples/kubernetes ==');
  const pkg = await onboard(api, join(where.home, 'samples/kubernetes'));
  say(`  onboarded ${text(pkg.vnfProductName)} ${text(pkg.vnfSoftwareVersion)}, VNFD ${text(pkg.vnfdId)}`);
  const { id } = await api.post<{ id: string }>(INSTANCES, { vnfdId: pkg.vnfdId, vnfInstanceName: 'demo-cluster' });
  say(`== instantiate flavour simple: ${INSTANCES}/${id}/instantiate ==`);
  const body = (await readFile(join(where.home, 'samples/requests/instantiate-kubernetes-simple.json'), 'utf8')).replaceAll(
    '${NETWORK_ID}',
    lab.networkName,
  );
  const made = async (): Promise<void> => {
    await operation(stage, `${INSTANCES}/${id}/instantiate`, JSON.parse(body) as JsonObject);
    await show(stage, id);
  };
  await (stage.ui ? watched(made, stage) : made());
  if (stage.keep) {
    say('== keeping it until Ctrl-C ==');
    await stage.stopSignalled;
  }
  say('== terminate ==');
  await operation({ ...stage, signal: new AbortController().signal }, `${INSTANCES}/${id}/terminate`, {
    terminationType: 'FORCEFUL',
  });
  await api.delete(`${INSTANCES}/${id}`);
}

async function operation({ api, say, signal }: Stage, path: string, body: JsonObject): Promise<void> {
  const id = (await api.accept(path, body)).split('/').at(-1) ?? '';
  const display = displayFor(process.stdout, say);
  const opOcc = await watchOperation(api, id, display, signal).finally(() => display.close());
  say(`  ${text(opOcc.operation)} ${text(opOcc.operationState)}`);
  for (const warning of await operationWarnings(api, id)) say(`  note: ${warning}`);
  if (opOcc.operationState !== 'COMPLETED')
    throw new Error(`the operation is ${text(opOcc.operationState)}: ${JSON.stringify(opOcc.error)}`);
}

/** The cluster as its own kubectl sees it, over SSH; the instance; and the VIM that it has become. */
async function show({ api, lab, say }: Stage, id: string): Promise<void> {
  const instance = await api.get(`${INSTANCES}/${id}`);
  const info = instance.instantiatedVnfInfo as { vnfcResourceInfo: { vduId: string; computeResource: { resourceId: string } }[] };
  const master = info.vnfcResourceInfo.find(({ vduId }) => vduId === 'masterNode');
  say('== the cluster: kubectl get nodes, on its master ==');
  const { stdout } = await lab.fleet.exec(master?.computeResource.resourceId ?? '', [
    'kubectl',
    '--kubeconfig',
    '/etc/kubernetes/admin.conf',
    'get',
    'nodes',
    '-o',
    'wide',
  ]);
  for (const line of stdout.trimEnd().split('\n')) say(`  ${line}`);
  if (lab.kubernetesVersion !== undefined) await showPodsThatAnswer(lab.fleet, master?.computeResource.resourceId ?? '', say);
  say('== the instance ==');
  say(
    `  ${text(instance.id)} ${text(instance.instantiationState)}: ${info.vnfcResourceInfo.map(({ vduId, computeResource }) => `${vduId} ${computeResource.resourceId}`).join(', ')}`,
  );
  const { vims } = await api.get<{ vims: JsonObject[] }>('/v1.0/vims');
  say('== the VIMs ==');
  for (const vim of vims) say(`  ${text(vim.name)} (${text(vim.type)}) ${text(vim.auth_url)} ${text(vim.status)}`);
}
