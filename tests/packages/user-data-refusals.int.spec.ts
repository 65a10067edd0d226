import type { JsonObject } from '@windlass/foundation';
import { VNFD_ID } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { FIRST_VERSION, MODULE, scripted } from './support/scripted-package.js';

const [SCRIPT, CLASS] = ['lcm-operation-user-data', 'lcm-operation-user-data-class'];
const [PYTHON_FILE, MODULE_FILE] = ['UserData/user_data.py', 'UserData/user-data.mjs'];

const [OLD_FILE, WANTS_FILE] = ['UserData/old.py', 'UserData/wants.py'];

let system: System;
let url: string;
/** One that a script has made. */
let made: string;

const ask = (at: string, task: string, body: JsonObject) => system.api.post<JsonObject>(`${at}/${task}`, body);
const named = (script: unknown, className: unknown): JsonObject => ({
  ...scalingRequest('net0'),
  additionalParams: { [SCRIPT]: script, [CLASS]: className } as JsonObject,
});

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const more = { [OLD_FILE]: 'print "Data"\n', [WANTS_FILE]: `import nowhere_at_all\n${FIRST_VERSION}` };
  const files = { 'UserData/__init__.py': '', [PYTHON_FILE]: FIRST_VERSION, [MODULE_FILE]: MODULE, ...more };
  expect(await onboardZip(system.api, await scripted(files))).toMatchObject({ onboardingState: 'ONBOARDED' });
  url = await createVnf(system.api, VNFD_ID);
  made = await createVnf(system.api, VNFD_ID);
  expect(await atRest(system.api, await ask(made, 'instantiate', named(`./${PYTHON_FILE}`, 'Data')))).toMatchObject({
    operationState: 'COMPLETED',
  });
});
afterAll(() => system.close());

/** What the request names, the key that is at fault, and words of the reason. */
const REFUSED: readonly [what: string, params: JsonObject, key: string, reason: RegExp][] = [
  ['a script without its class', { [SCRIPT]: PYTHON_FILE }, CLASS, /is missing: lcm-operation-user-data is given/],
  ['a class without its script', { [CLASS]: 'Data' }, SCRIPT, /is missing: lcm-operation-user-data-class is given/],
  ['a path out of the package', { [SCRIPT]: '../user_data.py', [CLASS]: 'Data' }, SCRIPT, /the path of a script in the package/],
  ['a path of the VNFM', { [SCRIPT]: '/etc/user_data.py', [CLASS]: 'Data' }, SCRIPT, /the path of a script in the package/],
  ['a file that is no script', { [SCRIPT]: 'UserData/data.sh', [CLASS]: 'Data' }, SCRIPT, /\.py, \.js or \.mjs/],
  ['a path that is no text', { [SCRIPT]: 1, [CLASS]: 'Data' }, SCRIPT, /the path of a script in the package/],
  [
    'a script that the package has not',
    { [SCRIPT]: './UserData/other.py', [CLASS]: 'Data' },
    SCRIPT,
    /no file UserData\/other\.py; it has .*UserData\/user_data\.py/,
  ],
  [
    'a class that the script has not',
    { [SCRIPT]: PYTHON_FILE, [CLASS]: 'Date' },
    CLASS,
    /^UserData\/user_data\.py: there is no class Date in it; it has Data$/,
  ],
  [
    'a script of Python 2',
    { [SCRIPT]: OLD_FILE, [CLASS]: 'Data' },
    SCRIPT,
    /is no Python that can be run here: SyntaxError: .*line 1/,
  ],
  [
    'a script for which something is not installed',
    { [SCRIPT]: WANTS_FILE, [CLASS]: 'Data' },
    SCRIPT,
    /not installed where user data is run: nowhere_at_all/,
  ],
  [
    'a class whose name is none',
    { [SCRIPT]: PYTHON_FILE, [CLASS]: 'os.system' },
    CLASS,
    /the name of a class in UserData\/user_data\.py/,
  ],
];

describe('user data that a request names wrongly', () => {
  it.each(REFUSED)('is a 400 at its key, and nothing is begun: %s', async (_, additionalParams, key, reason) => {
    const path = `/additionalParams/${key}`;
    const bodies: [string, string, JsonObject][] = [
      [url, 'instantiate', { ...scalingRequest('net0'), additionalParams }],
      [made, 'scale', { type: 'SCALE_OUT', aspectId: 'worker', additionalParams }],
      [made, 'heal', { additionalParams }],
    ];
    const before = (await system.api.get<JsonObject[]>('/vnflcm/v1/vnf_lcm_op_occs')).data.length;
    for (const [at, task, body] of bodies) {
      const { status, data } = await ask(at, task, body);
      expect([task, status, data.invalidParams]).toEqual([
        task,
        400,
        [{ path, reason: expect.stringMatching(reason) as string }],
      ]);
      expect(data.detail).toContain(path);
    }
    expect((await system.api.get<JsonObject[]>('/vnflcm/v1/vnf_lcm_op_occs')).data).toHaveLength(before);
  });

  it.each([[MODULE_FILE, 'it exports no Date; it exports Data']])(
    'rolls back before anything is made where %s has no such class',
    async (file, detail) => {
      const before = JSON.stringify(system.emulator.inventory());
      const op = await atRest(system.api, await ask(url, 'instantiate', named(`./${file}`, 'Date')));
      expect(op).toMatchObject({ operationState: 'ROLLED_BACK', error: { detail: `${file}, Date.instantiate: ${detail}` } });
      expect(JSON.stringify(system.emulator.inventory())).toBe(before);
    },
  );
});

describe('a VNF whose networks a script has computed', () => {
  it('is not reconnected: 409 says why and what to do', async () => {
    const { extVirtualLinks } = scalingRequest('net1');
    const { status, data } = await ask(made, 'change_ext_conn', { extVirtualLinks } as unknown as JsonObject);
    expect([status, data.detail]).toEqual([
      409,
      expect.stringMatching(/computed by a user data script .* terminate it and instantiate it anew/),
    ]);
  });
});
