import { hours, minutes, RequestError, seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../client/api-client.js';
import { ownEnvironment, type Surroundings } from '../surroundings/config.js';
import { Deployment } from '../deployment/deployment.js';
import { replicasOf } from '../deployment/replicas.js';
import { readRuntime, removeRuntime, startTimeOf, writeRuntime, type RuntimeInfo } from '../deployment/runtime-file.js';
import { settingLine, type Settings } from '../settings/settings.js';
import { dataDirOf } from '../target/data-dir.js';
import { settingsOf } from './setting-options.js';
import { untilStopSignal } from './signals.js';
import type { BroughtLab, UpOptions, UpProgram } from './up-program.js';

/** Does what `up` was asked for. */
export async function runUp(where: Surroundings, own: UpProgram, options: UpOptions): Promise<void> {
  requireProcesses(options);
  const settings = await settingsOf(where, options, labOf(options), sayHere);
  await (options.detach === true ? upDetached(where, own, options) : upHere(where, own, options, settings));
}

/** @throws RequestError 400 `up.bad-replicas` */
function requireProcesses({ oneProcess, replicas = [] }: UpOptions): void {
  if (oneProcess === true && replicas.length > 0)
    throw new RequestError(
      400,
      'up.bad-replicas',
      '--replicas is about processes, and --one-process has one: leave one of both out',
    );
  replicasOf(replicas);
}

const sayHere = (line: string): void => void process.stderr.write(`${line}\n`);

/** The kind of Kubernetes of the lab that is wished for. */
const labOf = ({ lab, kubernetes = 'stand-in' }: UpOptions): string | undefined => (lab === true ? kubernetes : undefined);

async function upHere(where: Surroundings, own: UpProgram, options: UpOptions, settings: Settings): Promise<void> {
  const dataDir = dataDirOf(where, options.data);
  const say = sayHere;
  // First of all. Detached, stderr is a file, whose disk may be full: what can't be said is no reason to end.
  const signals = untilStopSignal();
  await requireNoneRuns(dataDir);
  await mkdir(join(dataDir, 'secrets'), { recursive: true, mode: 0o700 });
  try {
    await runUntilStopSignal(where, own, { ...options, settings }, dataDir, signals, say);
  } catch (error) {
    if (!signals.signal.aborted) throw error;
    say('interrupted while it started; what had started is stopped');
    process.exitCode = 130;
  }
}

/** What a service is told beside what is always set. */
const told = (service: string, { environment }: Settings, lab: BroughtLab | undefined): Readonly<Record<string, string>> => {
  const given = environment(service);
  return lab === undefined ? given : { ...given, ...lab.environment(service, given) };
};

const kubernetesOf = ({ kubernetes }: UpOptions): { kubernetes?: string } => (kubernetes === undefined ? {} : { kubernetes });

/** Whatever happens, what was begun is ended in the reverse order. */
async function runUntilStopSignal(
  where: Surroundings,
  { bringLab }: UpProgram,
  options: UpOptions & { settings: Settings },
  dataDir: string,
  signals: ReturnType<typeof untilStopSignal>,
  say: (line: string) => void,
): Promise<void> {
  const lab = options.lab === true ? await bringLab?.({ dataDir, cache: where.cache, say, ...kubernetesOf(options) }) : undefined;
  try {
    signals.signal.throwIfAborted();
    const deployment = await Deployment.start({
      home: where.home,
      dataDir,
      port: options.port,
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      durable: true,
      oneProcess: options.oneProcess === true,
      replicas: replicasOf(options.replicas ?? []),
      say,
      signal: signals.signal,
      environment: (service) => told(service, options.settings, lab),
    });
    try {
      const info = await announce(deployment, dataDir, lab, options);
      await writeRuntime(info);
      await signals.stopSignalled;
      say('stopping');
    } finally {
      await removeRuntime(dataDir);
      await deployment.stop();
    }
  } finally {
    await lab?.stop();
  }
}

async function announce(
  deployment: Deployment,
  dataDir: string,
  lab: BroughtLab | undefined,
  options: UpOptions & { settings: Settings },
): Promise<RuntimeInfo> {
  const api = new ApiClient(deployment.url, deployment.secrets.token);
  await lab?.register(api, options.publicUrl ?? deployment.url);
  const info: RuntimeInfo = {
    url: deployment.url,
    natsUrl: deployment.servers.natsUrl,
    tokenFile: deployment.secrets.tokenFile,
    dataDir,
    pid: process.pid,
    startedAt: startTimeOf(process.pid) ?? '',
    ...(lab === undefined ? {} : { lab: lab.info }),
    settings: [...options.settings.shown, ...(lab?.shown ?? [])],
  };
  if (options.json === true) process.stdout.write(`${JSON.stringify(info)}\n`);
  else process.stdout.write(welcome(info));
  return info;
}

/** What is printed when everything is ready. */
export const welcome = ({ url, tokenFile, lab, settings = [] }: RuntimeInfo): string => `Windlass is ready: ${url}
Its dashboard, in a browser: ${url}/ui
The token for X-Auth-Token lies in ${tokenFile}
All services run as one user: whoever captures one can read the master key. docs/security.md says which deployments keep them apart.
${lab === undefined ? '' : `The lab's OpenStack is the default VIM: ${lab.keystoneUrl}. Its VMs are logged in to as ubuntu with the password ubuntu.\n`}${settings.length === 0 ? '' : `The services are told other than their defaults:\n${settings.map((one) => `  ${settingLine(one)}\n`).join('')}`}
Try next:
  ./windlass vnf list
  curl -H "X-Auth-Token: $(cat ${tokenFile})" ${url}/vnflcm/v1/vnf_instances
  ${
    lab === undefined
      ? `openstack --os-auth-type admin_token --os-endpoint ${url} --os-token "$(cat ${tokenFile})"`
      : `. ${lab.openrc}; openstack`
  } vnflcm list

Ctrl-C stops it.
`;

/** What the command is called with in the background. What a lab installs is told with the lab alone: it has a default. */
export const detachedArguments = (
  { port, publicUrl, lab, kubernetes, oneProcess, replicas = [], set = [], config }: UpOptions,
  dataDir: string,
): string[] => [
  'up',
  '--data',
  dataDir,
  '--port',
  String(port),
  ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
  ...(lab === true ? ['--lab'] : []),
  ...(lab !== true || kubernetes === undefined ? [] : ['--kubernetes', kubernetes]),
  ...(oneProcess === true ? ['--one-process'] : []),
  ...replicas.flatMap((one) => ['--replicas', one]),
  ...set.flatMap((one) => ['--set', one]),
  ...(config === undefined ? [] : ['--config', config]),
];

/** @throws RequestError 409 `up.running` */
async function requireNoneRuns(dataDir: string): Promise<void> {
  if ((await readRuntime(dataDir)) !== undefined)
    throw new RequestError(
      409,
      'up.running',
      `Windlass runs on ${dataDir} already: stop it with "windlass down", or choose another --data`,
    );
}

/** Starts the same command as a process of its own and waits until it has written its runtime file. */
async function upDetached(where: Surroundings, { program }: UpProgram, options: UpOptions): Promise<void> {
  const dataDir = dataDirOf(where, options.data);
  await requireNoneRuns(dataDir);
  await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const logFile = join(dataDir, 'logs', 'up.log');
  const log = await open(logFile, 'a', 0o600);
  const args = [program, ...detachedArguments(options, dataDir)];
  const child = spawn(process.execPath, ['--enable-source-maps', ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    cwd: where.home,
    // Paths of settings are relative to where this was called.
    env: { ...ownEnvironment(), WINDLASS_CALLED_FROM: where.calledFrom },
  });
  let ended: number | null | undefined;
  child.on('exit', (status) => (ended = status));
  const info = await waitUntil(
    () => {
      if (ended !== undefined) throw new TerminalError('up.failed', `the start failed; ${logFile} says why`);
      return readRuntime(dataDir);
    },
    {
      for: `Windlass to be ready (its log is ${logFile})`,
      within: options.lab === true ? hours(1) : minutes(5),
      every: seconds(0.1),
    },
  );
  await log.close();
  child.unref();
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(info)}\n`
      : welcome(info).replace('Ctrl-C stops it.', `./windlass down --data ${dataDir} stops it.`),
  );
}
