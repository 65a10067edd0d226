import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '@windlass/foundation';

const run = promisify(execFile);
/** The user and the group of our image, which is the group of the volumes (`fsGroup`), too. */
const USER = 1000;

interface Container {
  name: string;
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { fieldRef: { fieldPath: string } } }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface SecretSource {
  secret: { name: string; items: { key: string; path: string }[] };
}
/** Of a manifest, what is looked at here. */
export interface PodTemplate {
  spec: {
    initContainers?: Container[];
    containers: Container[];
    volumes: { name: string; persistentVolumeClaim?: { claimName: string }; projected?: { sources: SecretSource[] } }[];
  };
}

/** What the cluster would have: by their names, Secrets with their keys, and folders for claims. */
export interface Around {
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
  claims: Readonly<Record<string, string>>;
}

/**
 * Runs the containers of a pod one after the other as processes of a checkout, where the image would lie: as user 1000, on a root that nothing
 * can be written to, with what the volumes bring. Needs root and bubblewrap.
 * @param folder where the volumes' files are put
 * @returns what each container printed, by its name
 * @throws Error where one fails, with what it said
 */
export async function podProcess(
  { spec }: PodTemplate,
  { name, home, folder, around }: { name: string; home: string; folder: string; around: Around },
): Promise<Record<string, string>> {
  const places = new Map<string, string>();
  for (const { name: volume, persistentVolumeClaim, projected } of spec.volumes) {
    const claim = persistentVolumeClaim === undefined ? undefined : around.claims[persistentVolumeClaim.claimName];
    places.set(
      volume,
      claim === undefined ? await projection(join(folder, volume), projected?.sources ?? [], around) : await claimed(claim),
    );
  }
  const printed: Record<string, string> = {};
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const mounts = container.volumeMounts.flatMap(({ name: volume, mountPath, readOnly = false }) => {
      const place = places.get(volume);
      if (place === undefined) throw new Error(`${container.name} mounts ${volume}, which is no volume of its pod`);
      return [readOnly ? '--ro-bind' : '--bind', place, mountPath];
    });
    const env: Record<string, string> = { PATH: '/usr/bin', ...environment(container, name) };
    const args = container.args.map((arg) =>
      arg.replaceAll(/\$\((\w+)\)/g, (asked: string, variable: string) => env[variable] ?? asked),
    );
    const { stdout } = await run('bwrap', [...box(home), ...mounts, '--remount-ro', '/', '--', ...asUser, '/node', ...args], {
      env,
      timeout: minutes(2),
    });
    printed[container.name] = stdout;
  }
  return printed;
}

/** What a kubelet makes of a claim where pods have a group: root's, and writable by the group. */
async function claimed(folder: string): Promise<string> {
  await chown(folder, 0, USER);
  await chmod(folder, 0o2770);
  return folder;
}

/** What it makes of keys of Secrets: files of root, readable by the group. */
async function projection(folder: string, sources: readonly SecretSource[], { secrets }: Around): Promise<string> {
  await mkdir(folder, { recursive: true });
  await chown(folder, 0, USER);
  await chmod(folder, 0o750);
  for (const { secret } of sources)
    for (const { key, path } of secret.items) {
      const value = secrets[secret.name]?.[key];
      if (value === undefined) throw new Error(`there is no key ${key} in a Secret ${secret.name}`);
      await writeFile(join(folder, path), value, { mode: 0o440 });
      await chown(join(folder, path), 0, USER);
    }
  return folder;
}

const environment = ({ env = [] }: Container, pod: string): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [name, valueFrom?.fieldRef.fieldPath === 'metadata.name' ? pod : (value ?? '')]),
  );

const asUser = ['setpriv', '--reuid', String(USER), '--regid', String(USER), '--clear-groups', '--no-new-privs', '--'];

/** What the image would have, with our checkout in its working folder. */
const box = (home: string): string[] => [
  ...['--unshare-pid', '--die-with-parent', '--new-session'],
  ...['/usr', '/lib', '/lib64', '/etc'].flatMap((path) => ['--ro-bind-try', path, path]),
  ...['--ro-bind', process.execPath, '/node', '--ro-bind', home, '/windlass', '--chdir', '/windlass'],
  ...['--proc', '/proc', '--dev', '/dev', '--perms', '0755', '--dir', '/run', '--perms', '1777', '--dir', '/tmp'],
];
