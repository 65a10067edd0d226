import { parseFlags, UsageError, type Flags } from '../cli/flags.js';
import { ExitError, logLine, runProgram, type Io } from '../cli/program.js';
import { cgroupDriverOf, ContainerRuntime } from '../cri/container-runtime.js';
import { readIfThere } from '../host/files.js';
import { swapAreas } from '../host/kernel.js';
import { defaultAddress } from '../host/network.js';
import type { Taint } from '../kube/kinds.js';
import { programOf, standinVersion } from '../programs.js';
import { kubeletAccess } from './client-certificate.js';
import { KUBELET_FLAGS } from './flags.js';
import { runKubelet } from './kubelet.js';
import { loadKubeletConfiguration, type KubeletConfiguration } from './kubelet-configuration.js';
import { defaultNodeName } from './node-info.js';
import { startServers } from './servers.js';
import { StaticPods } from './static-pods.js';

/** `kubelet`, the windlass-lab stand-in: a real node object, lease and static pods, and pods that only look as if they ran. */
async function main(args: string[], io: Io): Promise<number> {
  const flags = parsed(args);
  const version = standinVersion('kubelet');
  if (flags.bool('version')) {
    io.out(`Kubernetes ${version}\n`);
    return 0;
  }
  if (flags.bool('help')) {
    io.out('kubelet: the windlass-lab stand-in. It runs static pods as systemd services and shows other pods as running.\n');
    return 0;
  }
  const configuration = await configurationOf(flags);
  await checkSwap(configuration);
  const runtime = await connectRuntime(configuration);
  const nodeName = flags.given('hostname-override') ? flags.string('hostname-override') : defaultNodeName();
  const hostIp = flags.given('node-ip') ? flags.string('node-ip') : await defaultAddress();
  if (hostIp === undefined) throw new ExitError(1, 'E failed to run Kubelet: could not find the node IP');
  let changed = (): void => undefined;
  const statics = new StaticPods(configuration.staticPodPath, programOf, () => changed(), logLine);
  if (configuration.staticPodPath !== '') await statics.start();
  await startServers({
    nodeName,
    healthzPort: configuration.healthzPort,
    port: configuration.port,
    clientCa: await readIfThere(configuration.clientCa),
  });
  const paths = { kubeconfig: flags.string('kubeconfig'), bootstrapKubeconfig: flags.string('bootstrap-kubeconfig') };
  const access = await kubeletAccess(nodeName, paths, logLine).catch((error: unknown) => {
    throw new ExitError(1, `E ${error instanceof Error ? error.message : String(error)}`);
  });
  const kubelet = runKubelet({
    access,
    nodeName,
    hostIp,
    version,
    runtime,
    labels: labelsOf(flags),
    taints: [...configuration.registerWithTaints, ...taintsOf(flags)],
    port: configuration.port,
    statics,
    log: logLine,
  });
  changed = () => kubelet.staticPodsChanged();
  logLine(`Started kubelet (windlass-lab stand-in ${version}) as node ${nodeName}`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
  process.exit(0);
}

function parsed(args: string[]): Flags {
  try {
    return parseFlags(KUBELET_FLAGS, args);
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, `E failed to parse kubelet flag: ${error.message}`);
    throw error;
  }
}

async function configurationOf(flags: Flags): Promise<KubeletConfiguration> {
  try {
    const configuration = await loadKubeletConfiguration(flags.string('config'));
    return {
      ...configuration,
      ...(flags.given('cgroup-driver') ? { cgroupDriver: flags.string('cgroup-driver') } : {}),
      ...(flags.given('fail-swap-on') ? { failSwapOn: flags.bool('fail-swap-on') } : {}),
      ...(flags.given('container-runtime-endpoint')
        ? { containerRuntimeEndpoint: flags.string('container-runtime-endpoint') }
        : {}),
    };
  } catch (error) {
    throw new ExitError(1, `E ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function checkSwap({ failSwapOn }: KubeletConfiguration): Promise<void> {
  const areas = await swapAreas();
  if (!failSwapOn || areas.length === 0) return;
  throw new ExitError(
    1,
    `E failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false. /proc/swaps contained: [${areas.join(' ')}]`,
  );
}

/** The runtime must answer CRI, and use the cgroup driver of the configuration: the real kubelet starts and then loses its pods again and again. */
async function connectRuntime({ containerRuntimeEndpoint, cgroupDriver }: KubeletConfiguration): Promise<ContainerRuntime> {
  const runtime = new ContainerRuntime(containerRuntimeEndpoint);
  try {
    await runtime.version();
    const driver = cgroupDriverOf(await runtime.status());
    if (driver !== undefined && driver !== cgroupDriver) {
      throw new Error(
        `misconfiguration: kubelet cgroup driver: "${cgroupDriver}" is different from container runtime cgroup driver: "${driver}" (SystemdCgroup in containerd's configuration)`,
      );
    }
    return runtime;
  } catch (error) {
    throw new ExitError(
      1,
      `E failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "${containerRuntimeEndpoint}": ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const labelsOf = (flags: Flags): Record<string, string> =>
  Object.fromEntries(flags.strings('node-labels').map((entry) => [entry.split('=')[0] ?? '', entry.split('=')[1] ?? '']));

/** `key=value:Effect` */
const taintsOf = (flags: Flags): Taint[] =>
  flags.strings('register-with-taints').map((entry) => {
    const [head = '', effect = ''] = entry.split(':');
    const [key = '', value] = head.split('=');
    return { key, effect: effect as Taint['effect'], ...(value === undefined || value === '' ? {} : { value }) };
  });

void runProgram(main);
