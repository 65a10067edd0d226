import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '@windlass/foundation';

/** An answer of a real OpenStack, recorded by tools/openstack. */
export interface Recorded {
  request: { method: string; url: string; json: Json };
  status: number;
  headers: Record<string, string>;
  body: Json;
}

/** The URLs of the recorded services, with their project. */
export const RECORDED_HEAT = 'http://127.0.0.1:8004/v1/5e44d1ff06ce4ab7ada47143bf8c4f09';

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), 'utf8'));

/** The recording in a file. */
export const recorded = (name: string): Recorded => read(name) as Recorded;

/** The member `token` of Keystone's answer. */
export const recordedToken = (): JsonObject => read('keystone_token_body') as JsonObject;
