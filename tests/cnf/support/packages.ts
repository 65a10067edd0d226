import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { buildCsar } from '@windlass/vnf-package';
import { onboardZip, type System } from '../../support/system.js';

const SAMPLE_VNFD_ID = '0c8e4f27-93b5-4d1a-b6a7-1f5d82e03c94';
const FILES = ['Files/kubernetes/web.yaml', 'Files/kubernetes/asker.yaml', 'Files/kubernetes/other.yaml'];

/** Onboards the sample with another file of manifests, under the given VNFD id. Returns the VNFD id. */
export async function onboardWith({ api }: System, id: string, other: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-cnf-'));
  try {
    const sources = join(folder, 'package');
    await cp(join(import.meta.dirname, '../../../samples/cnf'), sources, { recursive: true });
    for (const name of ['cnf_top.vnfd.yaml', 'cnf_types.yaml']) {
      const file = join(sources, 'Definitions', name);
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(SAMPLE_VNFD_ID, id));
    }
    await writeFile(join(sources, 'Files/kubernetes/other.yaml'), other);
    await buildCsar(sources, join(folder, 'package.zip'));
    const shown = await onboardZip(api, await readFile(join(folder, 'package.zip')));
    if (shown.onboardingState !== 'ONBOARDED') throw new Error(`not onboarded: ${JSON.stringify(shown)}`);
    return shown.vnfdId;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Sets the manifests of a request; by default the sample's and the other file. */
export const withFiles =
  (files: string[] = FILES) =>
  (body: JsonObject): void =>
    void ((body.additionalParams as JsonObject)['lcm-kubernetes-def-files'] = files);
