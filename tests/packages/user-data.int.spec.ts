import type { JsonObject } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { readSample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { levelsIn, play, stackInputs } from '../lifecycle/support/desired-world.js';
import { scalingRequest } from '../support/scaling-package.js';
import { FIRST_VERSION, MODULE, scripted, SECOND_VERSION } from './support/scripted-package.js';

const KINDS = [
  ['Python of the first version', 'UserData/user_data.py', FIRST_VERSION],
  ['Python of the second version', 'UserData/user_data.py', SECOND_VERSION],
  ['JavaScript', 'UserData/user-data.mjs', MODULE],
] as const;

/** How the additional parameters name a script. */
const named = (script: string): JsonObject => ({
  'lcm-operation-user-data': `./${script}`,
  'lcm-operation-user-data-class': 'Data',
});
const request = (script: string): JsonObject => ({ ...scalingRequest('net0'), additionalParams: named(script) });
/** What Heat's stack was given as `nfv`. */
const nfvOf = async (world: World): Promise<JsonObject> => ((await stackInputs(world)).has.parameters as { nfv: JsonObject }).nfv;

async function worldOf(script: string, text: string, more: Record<string, string> = {}): Promise<World> {
  return World.start(await readSample('scripted', await scripted({ 'UserData/__init__.py': '', [script]: text, ...more })));
}

describe('a package whose script is', () => {
  test.each(KINDS)('%s is instantiated, scaled and healed with what the script computes', async (_, script, text) => {
    const world = await worldOf(script, text);
    try {
      const id = world.accept('INSTANTIATE', request(script));
      await world.settle(id);
      expect(world.opOcc(id).error).toBeNull();
      expect(world.opOcc(id).operationState).toBe('COMPLETED');
      const web = { flavor: 'm1.tiny', image: 'cirros' };
      expect(await nfvOf(world)).toMatchObject({
        VDU: { web, db: web, node: web, VDU1: web },
        CP: { web_CP: { network: 'net0' } },
      });
      await asItShouldBe(world);

      expect((await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect(levelsIn(world)).toMatchObject({ worker: 1 });
      const scaled = await nfvOf(world);
      expect(scaled.VDU).toMatchObject({ node: web });
      expect(script.endsWith('.mjs') ? scaled.scaled : scaled).toMatchObject(
        script.endsWith('.mjs')
          ? { of: 'worker', to: 2 }
          : text === FIRST_VERSION
            ? { scaled: { by: 'SCALE_OUT', of: 'worker', to: 2, from: { worker: 0 }, of_vnf: world.instance.id } }
            : { counts: { node: 2, web: 1, db: 1 } },
      );
      await asItShouldBe(world);

      const vnfc = world.instance.instantiated?.vnfcs.find(({ vduId }) => vduId === 'db');
      const before = vnfc?.resourceId;
      expect((await play(world, 'HEAL', { vnfcInstanceId: [vnfc?.id ?? ''] })).state).toBe('COMPLETED');
      expect(world.instance.instantiated?.vnfcs.find(({ id: each }) => each === vnfc?.id)?.resourceId).not.toBe(before);
      const healed = await nfvOf(world);
      expect(healed).toMatchObject({ healed: text === SECOND_VERSION ? [vnfc?.id] : ['db'], VDU: { db: web } });
      if (text === SECOND_VERSION) expect(healed).not.toHaveProperty('counts');
      await asItShouldBe(world);

      expect((await play(world, 'SCALE', { type: 'SCALE_IN', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect(levelsIn(world)).toMatchObject({ worker: 0 });
      expect((await play(world, 'HEAL', {})).state, 'of the whole').toBe('COMPLETED');
      expect(await nfvOf(world)).not.toHaveProperty('healed');
      await asItShouldBe(world);
      await play(world, 'TERMINATE', { terminationType: 'FORCEFUL' });
      expect(world.instance.desired).toBeNull();
      expect(world.troubles).toEqual([]);
    } finally {
      await world.close();
    }
  });
});

/** The desired state alone makes the stack that there is. */
async function asItShouldBe(world: World): Promise<void> {
  const { has, wanted } = await stackInputs(world);
  expect(has).toEqual(wanted);
}

describe('a script that is wrong', () => {
  const python = (body: string): string =>
    `class Data:\n    def instantiate(base_hot_dict, vnfd_dict, inst_req_info, grant_info):\n        ${body}\n`;
  test.each([
    [
      'fails',
      'return {"nfv": vnfd_dict["no such key"]}',
      'user-data.failed',
      /KeyError: 'no such key', at UserData\/user_data.py line 3/,
    ],
    ['has another syntax', 'return 1 +', 'user-data.failed', /SyntaxError: .* at UserData\/user_data.py line 3/],
    [
      'returns a parameter that nobody declares',
      'return {"nfv": {}, "other": 1}',
      'user-data.wrong-result',
      /the parameter "other", which .* does not declare/,
    ],
    [
      'forgets a network',
      'return {"nfv": {}}',
      'user-data.wrong-result',
      /lacks nfv\.VDU\.VDU1\.flavor, which the templates ask for/,
    ],
    ['returns nothing', 'return None', 'user-data.wrong-result', /lacks the parameter "nfv"/],
    [
      'tells its secret',
      'raise ValueError("no " + inst_req_info.additional_params["password"])',
      'user-data.failed',
      /ValueError: no \*\*\*/,
    ],
  ])('because it %s rolls the operation back before anything is made, and says so', async (_, body, code, detail) => {
    const world = await worldOf('UserData/user_data.py', python(body));
    try {
      const params = { ...named('UserData/user_data.py'), password: 'the-password-of-the-VMs' };
      const id = world.accept('INSTANTIATE', { ...request('UserData/user_data.py'), additionalParams: params });
      await world.settle(id);
      expect(world.opOcc(id)).toMatchObject({
        operationState: 'ROLLED_BACK',
        error: { detail: expect.stringMatching(detail) as string },
      });
      expect(JSON.stringify(world.opOcc(id).error)).toContain(code);
      expect(JSON.stringify(world.opOcc(id).error)).not.toContain('the-password-of-the-VMs');
      await expect(stackInputs(world)).rejects.toThrow('is not instantiated');
    } finally {
      await world.close();
    }
  });

  test('at a scaling leaves the VNF as it is', async () => {
    const broken = FIRST_VERSION.replace('param["nfv"]["scaled"] = {', 'param["nfv"]["VDU"]["node"] = {');
    const world = await worldOf('UserData/user_data.py', broken);
    try {
      const id = world.accept('INSTANTIATE', request('UserData/user_data.py'));
      await world.settle(id);
      const { state } = await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'worker' });
      expect(state).toBe('ROLLED_BACK');
      expect(levelsIn(world)).toMatchObject({ worker: 0 });
      await asItShouldBe(world);
    } finally {
      await world.close();
    }
  });
});
