import { access, constants } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { ContainerRuntime } from '../../cri/container-runtime.js';
import { exists, namesIn } from '../../host/files.js';
import { ipForward, swapAreas } from '../../host/kernel.js';
import { isActive, isEnabled, unitExists } from '../../host/systemd.js';
import { isSubdomain } from '../../kube/names.js';
import { standinVersion } from '../../programs.js';
import { minorsAhead } from '../versions.js';
import { check, failed, fine, warned, type Check } from './check.js';

/** `/etc/kubernetes/pki/ca.crt` in a check's name: `--etc-kubernetes-pki-ca.crt`. */
const dashed = (path: string): string => path.replaceAll('/', '-');

export const isRoot = check('IsPrivilegedUser', () =>
  Promise.resolve(process.getuid?.() === 0 ? undefined : 'user is not running as root'),
);

export const cpuCount = check('NumCPU', () =>
  Promise.resolve(cpus().length >= 2 ? undefined : `the number of available CPUs ${cpus().length} is less than the required 2`),
);

export const memory = check('Mem', () => {
  const megabytes = Math.floor(totalmem() / 1024 / 1024);
  return Promise.resolve(megabytes >= 1700 ? undefined : `the system RAM (${megabytes} MB) is less than the minimum 1700 MB`);
});

export const portIsFree = (port: number): Check =>
  check(`Port-${port}`, async () => ((await canListen(port)) ? undefined : `Port ${port} is in use`));

/** Whether nobody listens on the port on any address. */
async function canListen(port: number): Promise<boolean> {
  for (const host of ['0.0.0.0', '127.0.0.1']) {
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ port, host, exclusive: true }, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (!free) return false;
  }
  return true;
}

export const fileIsAvailable = (path: string): Check =>
  check(`FileAvailable-${dashed(path)}`, async () => ((await exists(path)) ? `${path} already exists` : undefined));

export const folderIsAvailable = (path: string): Check =>
  check(`DirAvailable-${dashed(path)}`, async () => ((await namesIn(path)).length > 0 ? `${path} is not empty` : undefined));

/** PATH as systemd and sudo set it. */
const PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export async function inPath(program: string): Promise<boolean> {
  for (const folder of PATH) {
    try {
      await access(join(folder, program), constants.X_OK);
      return true;
    } catch {
      // Not in this folder: the next one.
    }
  }
  return false;
}

export const programExists = (program: string): Check =>
  check(`FileExisting-${program}`, async () => ((await inPath(program)) ? undefined : `${program} not found in system path`));

/** The documentation's page on implementation details: an error if swap is on. */
export const swapIsOff = check('Swap', async () =>
  (await swapAreas()).length === 0 ? undefined : 'running with swap on is not supported. Please disable swap',
);

export const ipIsForwarded = check('FileContent--proc-sys-net-ipv4-ip_forward', async () =>
  (await ipForward()) === '1' ? undefined : '/proc/sys/net/ipv4/ip_forward contents are not set to 1',
);

export const hostname = (name: string): Check => ({
  name: 'Hostname',
  run: async () => {
    if (!isSubdomain(name))
      return failed(
        `hostname "${name}" a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
      );
    try {
      await lookup(name);
      return fine;
    } catch (error) {
      return warned(
        `hostname "${name}" could not be reached`,
        `hostname "${name}": lookup ${name}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  },
});

export const containerRuntime = (endpoint: string): Check =>
  check('CRI', async () => {
    const runtime = new ContainerRuntime(endpoint);
    try {
      await runtime.version();
      await runtime.status();
      return undefined;
    } catch (error) {
      return `could not connect to the container runtime: failed to create new CRI runtime service: validate service connection: validate CRI v1 runtime API for endpoint "${endpoint}": ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      runtime.close();
    }
  });

export const kubeletService: Check = {
  name: 'Service-kubelet',
  run: async () => {
    if (!(await unitExists('kubelet.service'))) return warned('no kubelet service was found');
    return (await isEnabled('kubelet.service'))
      ? fine
      : warned("kubelet service is not enabled, please run 'systemctl enable kubelet.service'");
  },
};

export const firewall: Check = {
  name: 'Firewalld',
  run: async () =>
    (await isActive('firewalld.service'))
      ? warned('firewalld is active, please ensure ports [6443 10250] are open or your cluster may not function correctly')
      : fine,
};

/** The kubelet must be installed, not older than a minor version behind, and not newer than the control plane. */
export const kubeletVersion = (kubernetesVersion: string | undefined, kubeadmVersion: string): Check =>
  check('KubeletVersion', async () => {
    if (!(await inPath('kubelet')))
      return "couldn't get kubelet version: cannot execute 'kubelet --version': executable file not found in $PATH";
    const version = standinVersion('kubelet');
    if (kubernetesVersion !== undefined && minorsAhead(version, kubernetesVersion) > 0) {
      return `the kubelet version is higher than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: "${version.slice(1)}" Control plane version: "${kubernetesVersion.slice(1)}"`;
    }
    return minorsAhead(version, kubeadmVersion) < -3
      ? `Kubelet version ${version} is lower than kubeadm can support. Please upgrade kubelet`
      : undefined;
  });

export const kubernetesVersion = (wanted: string, kubeadmVersion: string): Check => ({
  name: 'KubernetesVersion',
  run: () =>
    Promise.resolve(
      minorsAhead(wanted, kubeadmVersion) > 0
        ? failed(
            `Kubernetes version is greater than kubeadm version. Please consider to upgrade kubeadm. Kubernetes version: ${wanted.slice(1)}. Kubeadm version: ${kubeadmVersion.slice(1)}`,
          )
        : fine,
    ),
});
