import type { JsonObject } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { readSample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { levelsIn, play, stackInputs } from '../lifecycle/support/desired-world.js';
import { derived, GROUPED, onNetwork, SCRIPT, standardPackage, standardRequest } from './support/standard-package.js';

const MODULE = 'UserData/user-data.mjs';

/** In own words what users' scripts do: no base class of ours but the abstract one, and the request's own values go before. */
const WRITTEN = `import yaml
from tacker.sol_refactored.common import common_script_utils as utils
from tacker.sol_refactored.common import vnf_instance_utils as inst_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Data(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = utils.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        hot = vnfd.get_base_hot(req["flavourId"])
        nfv = utils.init_nfv_dict(hot["template"])
        for name, vdu in nfv["VDU"].items():
            vdu["computeFlavourId"] = utils.get_param_flavor(name, req["flavourId"], vnfd, grant)
            vdu["vcImageId"] = utils.get_param_image(name, req["flavourId"], vnfd, grant)
            vdu["desired_capacity"] = utils.get_param_capacity(name, inst, grant_req)
        for name, cp in nfv["CP"].items():
            cp["network"] = utils.get_param_network(name, grant, req)
        nfv = inst_utils.json_merge_patch(nfv, req["additionalParams"].get("nfv", {}))
        return {"template": yaml.safe_dump(hot["template"]), "parameters": {"nfv": nfv},
                "files": {name: yaml.safe_dump(each) for name, each in hot["files"].items()}}

    @staticmethod
    def change_ext_conn(req, inst, grant_req, grant, tmp_csar_dir):
        cps = {res["resourceTemplateId"] for res in grant_req["updateResources"]}
        return {"parameters": {"nfv": {"CP": {name: {"network": utils.get_param_network(name, grant, req)} for name in cps}}}}
`;

const IN_JAVASCRIPT = `export const Data = {
  instantiate: ({ request: { extVirtualLinks: [{ resourceId }] } }) => ({
    parameters: { nfv: { VDU: { VDU1: { computeFlavourId: 'm1.tiny', vcImageId: 'cirros' } }, CP: { VDU1_CP1: { network: resourceId } } } },
  }),
  change_ext_conn: ({ request: { extVirtualLinks: [{ resourceId }] } }) => ({ parameters: { nfv: { CP: { VDU1_CP1: { network: resourceId } } } } }),
};
`;

async function instantiated(script: string, path = SCRIPT, more: JsonObject = {}): Promise<World> {
  const world = await World.start(await readSample('moving', standardPackage(script, GROUPED, path)));
  const id = world.accept('INSTANTIATE', standardRequest(more, path));
  await world.settle(id);
  expect(world.opOcc(id).error).toBeNull();
  return world;
}

/** What Heat was given, which is what the desired state alone would give. */
async function nfvOf(world: World): Promise<JsonObject> {
  const { has, wanted } = await stackInputs(world);
  expect(has).toEqual(wanted);
  return (has.parameters as { nfv: JsonObject }).nfv;
}

describe('a script with a method change_ext_conn', () => {
  test.each([
    ['derived from ours', derived('userdata_default', 'DefaultUserData'), SCRIPT],
    ['written by itself', WRITTEN, SCRIPT],
    ['in JavaScript', IN_JAVASCRIPT, MODULE],
  ])('%s moves the ports, and they stay there when the VNF is scaled, healed and made anew', async (_, script, path) => {
    const world = await instantiated(script, path, { nfv: { VDU: { VDU1: { computeFlavourId: 'm1.tiny' } } } });
    try {
      expect(await nfvOf(world)).toMatchObject({ VDU: { VDU1: { desired_capacity: 2 } }, CP: { VDU1_CP1: { network: 'net0' } } });
      expect((await play(world, 'CHANGE_EXT_CONN', onNetwork('net1'))).state).toBe('COMPLETED');
      const moved = { CP: { VDU1_CP1: { network: 'net1' } } };
      expect(await nfvOf(world)).toMatchObject(moved);
      const links = world.instance.instantiated?.info.extVirtualLinkInfo?.map(({ resourceHandle }) => resourceHandle.resourceId);
      expect(links).toEqual(['net1']);
      expect((await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect(levelsIn(world)).toEqual({ worker: 2 });
      expect((await play(world, 'HEAL', {})).state).toBe('COMPLETED');
      expect(await nfvOf(world)).toMatchObject({ VDU: { VDU1: { desired_capacity: 3 } }, ...moved });
    } finally {
      await world.close();
    }
  });

  test.each([
    [
      'has none',
      WRITTEN.split('    @staticmethod\n    def change_ext_conn')[0] ?? '',
      /change_ext_conn: there is no such method, or it returned nothing/,
    ],
    ['returns nothing', WRITTEN.replace(/cps = \{res.*\n.*/, 'return None'), /there is no such method, or it returned nothing/],
    [
      'changes nothing',
      WRITTEN.replace(/cps = \{res.*\n.*/, 'return {"parameters": {"nfv": {}}}'),
      /changes nothing, and the network "net1" .* is not in it/,
    ],
  ])('that %s leaves all as it was, and says so', async (_, script, detail) => {
    const world = await instantiated(script);
    try {
      const before = await nfvOf(world);
      const id = world.accept('CHANGE_EXT_CONN', onNetwork('net1'));
      await world.settle(id);
      expect(world.opOcc(id)).toMatchObject({
        operationState: 'ROLLED_BACK',
        error: { detail: expect.stringMatching(detail) as string },
      });
      expect(await nfvOf(world)).toEqual(before);
    } finally {
      await world.close();
    }
  });
});
