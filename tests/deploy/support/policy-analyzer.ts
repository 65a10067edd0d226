import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@windlass/foundation';

const run = promisify(execFile);
const REQUIREMENTS = join(import.meta.dirname, 'policy-analyzer.txt');
const VERSION = '2.1.0';

/** What may connect where, by a policy analyzer that knows nothing of ours (IBM's network-config-analyzer): `windlass/nats` to `TCP 4222`. */
export type Reach = ReadonlyMap<string, readonly string[]>;

/** Fetches the analyzer from PyPI once; needs Debian's python3-pip. @returns its folder */
export async function policyAnalyzer(base: string): Promise<string> {
  const folder = join(base, `policy-analyzer-${VERSION}`);
  if ((await readdir(folder).catch(() => [])).length > 0) return folder;
  await mkdir(base, { recursive: true });
  const fetched = await mkdtemp(join(base, 'fetched-'));
  const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install', '--require-hashes', '--no-deps'];
  await run('/usr/bin/python3', [...pip, '--only-binary=:all:', '--target', fetched, '-r', REQUIREMENTS]);
  await rm(folder, { recursive: true, force: true });
  await rename(fetched, folder);
  return folder;
}

/**
 * Of each pod, by `namespace/name`, the other pods and address ranges that it may connect to, each with its ports.
 * @param objects namespaces, pods and policies
 * @param folder where files are put
 */
export async function reachOf(analyzer: string, objects: readonly JsonObject[], folder: string): Promise<Map<string, Reach>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'objects.yaml'), objects.map((each) => JSON.stringify(each)).join('\n---\n'));
  const scheme = {
    networkConfigList: [{ name: 'cluster', resourceList: ['objects.yaml'] }],
    queries: [
      {
        name: 'reach',
        connectivityMap: ['cluster'],
        outputConfiguration: { outputFormat: 'txt_no_fw_rules', outputEndpoints: 'pods' },
      },
    ],
  };
  await writeFile(join(folder, 'scheme.yaml'), JSON.stringify(scheme));
  const program = 'import sys; from nca.nca_cli import nca_main; nca_main(sys.argv[1:])';
  const { stdout } = await run('/usr/bin/python3', ['-c', program, '-s', join(folder, 'scheme.yaml')], {
    env: { ...process.env, PYTHONPATH: analyzer },
    maxBuffer: 16 * 1024 ** 2,
  });
  const found = new Map<string, Map<string, string[]>>();
  for (const [, from = '', to = '', ports = ''] of stdout.matchAll(/^(\S+) => (\S+) : (.*)$/gm)) {
    const reach = found.get(from) ?? new Map<string, string[]>();
    reach.set(to, [...(reach.get(to) ?? []), worded(ports)]);
    found.set(from, reach);
  }
  return found;
}

const worded = (ports: string): string => {
  const [, protocol = '', numbers = ''] = /^\{protocols:([A-Z, ]+),dst_ports:([\d,-]+)\}$/.exec(ports) ?? [];
  return protocol === '' ? ports : `${protocol} ${numbers}`;
};
