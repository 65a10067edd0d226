import type { RegistryInput } from '@windlass/driver-kit';
import { seconds, Secret, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { certificatesOf } from './certificates.js';
import { CONTAINERD_CONFIG, servesNoKubelet, withConfigPath } from './containerd-config.js';
import { DOCKER_CONFIG, withInsecure } from './docker-config.js';
import { credentialsFile, KUBELET_CONFIG } from './kubelet-credentials.js';
import type { NodeContext } from './node-context.js';
import { checkNames, containerdFolder, dockerFolder, hostsBlock, hostsToml, isName, nameOf, serverOf } from './registry-files.js';

/** The registries that the machine was told of, and projects with a login of their own, a line each. */
export const RECORD = '/var/lib/windlass/registries';

/** Folders that containerd used before it used ours, a line each. Their content is linked into ours. */
export const FOLDERS = '/var/lib/windlass/registry-folders';

/** A file as it is to be. */
export interface NodeFile {
  path: string;
  mode: '644' | '600';
  content: string | Secret;
}

/** A registry that is asked from the machine. */
export interface AskedRegistry {
  /** The program that pulls from the registry. */
  unit: 'containerd' | 'docker';
  registry: RegistryInput;
  /** Its CA certificates, PEM. */
  certificates?: string;
}

/** The files that a machine is to have, and those that are removed. */
export interface NodeFiles {
  put: NodeFile[];
  gone: string[];
  /** Its part of /etc/hosts. */
  names: string;
  /** Lines of {@link FOLDERS}. */
  folders: string[];
  asked: AskedRegistry[];
  /** Every registry or project, by {@link nameOf}, of which the machine may have files during the change. */
  known: string[];
}

/** The files with which a machine knows exactly these registries, of all that it was ever told of. */
export async function filesOf(context: NodeContext, registries: readonly RegistryInput[]): Promise<NodeFiles> {
  registries.forEach(checkNames);
  const wanted = registries.map(nameOf);
  const servers = new Set(wanted.map(serverOf));
  const record = linesOf(await context.read(RECORD));
  const known = [...new Set([...record, ...wanted])];
  const changed: NodeFiles = { put: [], gone: [], names: hostsBlock(registries), folders: [], asked: [], known };
  changed.folders = ((await context.read(FOLDERS)) ?? '').split('\n').filter((line) => line !== '');
  const runtimes = await runtimesOf(context, registries.length > 0);
  await runtimeFiles(context, changed, runtimes, registries);
  for (const registry of registries) await registryFiles(context, changed, runtimes, registry);
  // Entries of one registry's projects share its files.
  changed.put = [...new Map(changed.put.map((file) => [file.path, file])).values()];
  const credentials = await context.read(KUBELET_CONFIG);
  place(changed, KUBELET_CONFIG, '600', credentialsFile(credentials, registries, known));
  for (const server of new Set(record.map(serverOf).filter((each) => !servers.has(each))))
    changed.gone.push(
      `${containerdFolder(server)}/hosts.toml`,
      `${containerdFolder(server)}/ca.crt`,
      `${dockerFolder(server)}/ca.crt`,
    );
  // Written last, so that a killed script has left no file without a record.
  place(changed, RECORD, '644', wanted.length === 0 ? undefined : linesIn(wanted));
  return changed;
}

/** As the record has it. */
export const linesIn = (servers: readonly string[]): string => servers.map((server) => `${server}\n`).join('');

const linesOf = (record = ''): string[] => record.split('\n').filter(isName);

function place({ put, gone }: NodeFiles, path: string, mode: NodeFile['mode'], content: string | Secret | undefined): void {
  if (content === undefined) gone.push(path);
  else put.push({ path, mode, content });
}

/** Who runs containers for this machine's kubelet. */
interface Runtimes {
  /** containerd's configuration, where it serves kubelets. */
  containerd: string | undefined;
  docker: boolean;
}

/** @throws TerminalError `node.no-container-runtime` */
async function runtimesOf(context: NodeContext, needed: boolean): Promise<Runtimes> {
  const look = cmd`for name in containerd dockerd; do if command -v "$name" > /dev/null; then printf '%s\n' "$name"; fi; done`;
  const { stdout } = await context.host.run(look, { within: seconds(60), sudo: true });
  const found = stdout.split('\n');
  const config = (await context.read(CONTAINERD_CONFIG)) ?? '';
  const containerd = found.includes('containerd') && !servesNoKubelet(config) ? config : undefined;
  const docker = found.includes('dockerd');
  if (needed && containerd === undefined && !docker)
    throw new TerminalError(
      'node.no-container-runtime',
      `${context.name} has neither a containerd that serves a kubelet nor Docker: nothing on it pulls images. Look what its installation did`,
    );
  return { containerd, docker };
}

async function runtimeFiles(
  context: NodeContext,
  changed: NodeFiles,
  { containerd, docker }: Runtimes,
  registries: readonly RegistryInput[],
): Promise<void> {
  if (containerd !== undefined && registries.length > 0) {
    const { config, others } = withConfigPath(containerd);
    changed.put.push({ path: CONTAINERD_CONFIG, mode: '644', content: config });
    changed.folders.push(...others.filter((folder) => !changed.folders.includes(folder)));
  }
  if (!docker) return;
  const config = withInsecure(await context.read(DOCKER_CONFIG), registries, changed.known.map(serverOf));
  if (config !== undefined) changed.put.push({ path: DOCKER_CONFIG, mode: '644', content: config });
}

async function registryFiles(
  { packages, run }: NodeContext,
  { put, gone, asked }: NodeFiles,
  { containerd, docker }: Runtimes,
  registry: RegistryInput,
): Promise<void> {
  const { certificate, server } = registry;
  const folders = [...(containerd === undefined ? [] : [containerdFolder(server)]), ...(docker ? [dockerFolder(server)] : [])];
  const paths = folders.map((folder) => `${folder}/ca.crt`);
  const certificates =
    certificate === undefined ? undefined : certificatesOf(await packages.read(certificate, run.signal), certificate.path);
  if (certificates === undefined) gone.push(...paths);
  else put.push(...paths.map((path): NodeFile => ({ path, mode: '644', content: certificates })));
  if (containerd !== undefined)
    put.push({ path: `${containerdFolder(server)}/hosts.toml`, mode: '644', content: hostsToml(registry) });
  const unit = containerd === undefined ? 'docker' : 'containerd';
  asked.push({ unit, registry, ...(certificates === undefined ? {} : { certificates }) });
}
