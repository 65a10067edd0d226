import { seconds, type Duration, type JsonObject } from '@windlass/foundation';
import type { ScriptFacts, ScriptMethod } from '@windlass/user-data';
import { readdirSync, readFileSync } from 'node:fs';
import { runScript, type ScriptResult } from '../run-script.js';

const NOTHING: ScriptFacts = {
  request: {},
  instance: { id: 'an-instance', vnfdId: 'a-vnfd' },
  grantRequest: {},
  grant: {},
  current: null,
  desiredCapacity: null,
  vnfcs: [],
};

export interface Asked {
  /** The text of the script file, which is `UserData/user_data.py` unless `script` is given. */
  text: string;
  script?: string;
  method?: ScriptMethod;
  facts?: Partial<ScriptFacts>;
  vnfd?: JsonObject;
  baseHot?: { template: JsonObject; files: Record<string, JsonObject> };
  more?: Record<string, string | Buffer>;
  within?: Duration;
  signal?: AbortSignal;
  python?: string;
  project?: string;
}

/** Runs a script as the infra driver does, with Debian's Python. */
export const run = ({
  text,
  script = 'UserData/user_data.py',
  method = 'instantiate',
  facts,
  more = {},
  ...asked
}: Asked): Promise<ScriptResult> =>
  runScript({
    project: asked.project ?? 'default',
    script,
    className: 'Data',
    method,
    facts: { ...NOTHING, ...facts },
    vnfd: asked.vnfd ?? {},
    flavourId: 'simple',
    baseHot: asked.baseHot ?? { template: { parameters: {}, resources: {} }, files: {} },
    package: new Map(Object.entries({ ...more, [script]: text }).map(([path, content]) => [path, Buffer.from(content)])),
    settings: { python: asked.python ?? '/usr/bin/python3', within: asked.within ?? seconds(20) },
    signal: asked.signal ?? new AbortController().signal,
  });

/** A class of the first version with this method body. */
export const python = (body: string): string =>
  `import os, sys\n\nclass Data:\n    @staticmethod\n    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):\n${body
    .split('\n')
    .map((line) => `        ${line}`)
    .join('\n')}\n`;

/** The path of a script in JavaScript. */
export const MODULE = 'UserData/user-data.mjs';
/** A module with this method body. */
export const js = (body: string): string => `export const Data = {\n  async instantiate(facts) {\n    ${body}\n  },\n};\n`;

/**
 * The processes of sandboxes, known by their users, that are children of this process or have no parent any more. Sandboxes of suites that run
 * side by side have another parent, and are left out.
 */
export function sandboxed(): string[] {
  const all = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        const process = processOf(pid);
        return process === undefined ? [] : [[pid, process] as const];
      }),
  );
  const isOurs = (pid: string): boolean => {
    if (pid === String(process.pid) || pid === '1') return true;
    const parent = all.get(pid);
    return parent !== undefined && parent.inSandbox && isOurs(parent.parent);
  };
  return [...all].filter(([pid, { inSandbox }]) => inSandbox && isOurs(pid)).map(([pid, { name }]) => `${pid} ${name}`);
}

function processOf(pid: string): { name: string; parent: string; inSandbox: boolean } | undefined {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined; // the process has just ended
  }
  // A zombie is no process any more.
  if (/^State:\s+[ZX]/m.test(status)) return undefined;
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const uid = Number(field('Uid'));
  return { name: field('Name'), parent: field('PPid'), inSandbox: uid >= 61_184 && uid < 65_184 };
}
