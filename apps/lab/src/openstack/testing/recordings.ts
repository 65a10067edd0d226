import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonObject } from '@windlass/foundation';

/** An answer of a real service. */
export interface Recording {
  method: string;
  status: number;
  /** The headers, with names in lower case. */
  headers: Record<string, string>;
  body: Json;
}

const folder = join(import.meta.dirname, 'recorded');

export const recordedText = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The recordings in a file, by their names. */
export const recordings = (file: string): Record<string, Recording> =>
  JSON.parse(recordedText(`${file}.json`)) as Record<string, Recording>;

/** The bodies of `POST stacks` that the real Heat refused. */
export const refusedStacks = (): { name: string; body: JsonObject; status: number; error: JsonObject }[] =>
  JSON.parse(recordedText('refused-stacks.json')) as { name: string; body: JsonObject; status: number; error: JsonObject }[];

/** The recorded stack: VDU1 in a group, VDU2 with two volumes, an internal network, an anti-affinity group. */
export const vnfA = {
  template: recordedText('top.yaml'),
  files: { 'VDU1.yaml': recordedText('VDU1.yaml') },
  parameters: (desired: number): JsonObject => ({
    nfv: { VDU: { VDU1: { desired_capacity: desired, flavor: 'm1.tiny', image: 'cirros' } } },
  }),
};
