import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@windlass/foundation';

const run = promisify(execFile);

/** PyPI's package with Kubernetes' strict schemas, of the release whose programs the lab has. */
const REQUIREMENT =
  'kubernetes-validate==1.34.1 --hash=sha256:6ad909e64c140d883f558949364aeca49637580ae88a9a00b59688ab44aae88d\n';
const VERSION = '1.34.0';

/** The arguments with which kubeconform reads the schemas from a folder below `base`. The schemas are fetched from PyPI once; needs Debian's python3-pip. */
export async function kubernetesSchemas(base: string): Promise<string[]> {
  const folder = join(base, `kubernetes-schemas-${VERSION}`);
  // The folder appears complete, by a rename.
  if ((await readdir(folder).catch(() => [])).length === 0) await fetchTo(base, folder);
  return ['-kubernetes-version', VERSION, '-schema-location', join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json')];
}

async function fetchTo(base: string, folder: string): Promise<void> {
  await mkdir(base, { recursive: true });
  const fetched = await mkdtemp(join(base, 'fetched-'));
  const requirements = join(fetched, 'requirements.txt');
  await writeFile(requirements, REQUIREMENT);
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install', '--require-hashes', '--no-deps'];
  await run('/usr/bin/python3', [...pip, '--only-binary=:all:', '--target', fetched, '-r', requirements]);
  const source = join(fetched, 'kubernetes_validate/kubernetes-json-schema', `v${VERSION}-local-strict`);
  const { $defs } = JSON.parse(await readFile(join(source, '_definitions.json'), 'utf8')) as { $defs: JsonObject };
  const made = join(fetched, 'standalone');
  await mkdir(made);
  for (const name of await readdir(source)) {
    // Names of kinds have the group's name and version; all others are parts of kinds.
    if (!/^[a-z]+-.*\.json$/.test(name)) continue;
    const schema = JSON.parse(await readFile(join(source, name), 'utf8')) as JsonObject;
    await writeFile(join(made, name), JSON.stringify(standalone(schema, $defs)));
  }
  await rm(folder, { recursive: true, force: true });
  await rename(made, folder);
  await rm(fetched, { recursive: true, force: true });
}

/** A schema with the shared definitions that it refers to, since kubeconform reads one file. */
function standalone(schema: JsonObject, shared: JsonObject): JsonObject {
  const wanted = new Set<string>();
  const local = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(local);
    if (typeof node !== 'object' || node === null) return node;
    return Object.fromEntries(
      Object.entries(node).map(([key, value]: [string, unknown]): [string, unknown] => {
        if (key !== '$ref' || typeof value !== 'string') return [key, local(value)];
        const name = value.split('/').at(-1) ?? '';
        wanted.add(name);
        return [key, `#/$defs/${name}`];
      }),
    );
  };
  const { $id: _id, ...rest } = local(schema) as JsonObject;
  const definitions: Record<string, unknown> = {};
  // The loop also visits what is added to the set meanwhile.
  for (const name of wanted) definitions[name] = local(shared[name]);
  return { ...rest, $defs: definitions } as JsonObject;
}
