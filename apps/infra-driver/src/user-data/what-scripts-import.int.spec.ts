import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { run, type Asked } from './testing/script-world.js';

/** A VNFD with what scripts ask for: two VDUs, of which one scales, a storage, rules, levels, a driver. */
const VNFD: JsonObject = {
  topology_template: {
    node_templates: {
      VNF: {
        type: 'company.provider.VNF',
        interfaces: { Vnflcm: { instantiate: [], scale_start: { implementation: 'driver' } } },
        artifacts: { driver: { type: 'tosca.artifacts.Implementation.Python', file: '../Scripts/driver.py' } },
      },
      VDU1: {
        type: 'tosca.nodes.nfv.Vdu.Compute',
        properties: { sw_image_data: { name: 'cirros' } },
        capabilities: {
          virtual_compute: {
            properties: {
              requested_additional_capabilities: { properties: { requested_additional_capability_name: 'm1.tiny' } },
            },
          },
        },
        requirements: [{ virtual_storage: 'VS' }, { virtual_storage: { node: 'VS2' } }],
      },
      VDU2: { type: 'tosca.nodes.nfv.Vdu.Compute' },
      VS: { type: 'tosca.nodes.nfv.Vdu.VirtualBlockStorage', properties: { sw_image_data: { name: 'disk' } } },
      CP1: { type: 'tosca.nodes.nfv.VduCp', requirements: [{ virtual_binding: 'VDU1' }] },
      CP2: { type: 'tosca.nodes.nfv.VduCp', requirements: [{ virtual_binding: { node: 'VDU1' } }, { virtual_link: 'inner' }] },
      inner: { type: 'tosca.nodes.nfv.VnfVirtualLink' },
    },
    groups: { side: { type: 'tosca.groups.nfv.PlacementGroup', members: ['VDU1', 'VDU2'] } },
    policies: [
      {
        aspects: {
          type: 'tosca.policies.nfv.ScalingAspects',
          properties: { aspects: { worker: { max_scale_level: 3, step_deltas: ['d'] } } },
        },
      },
      {
        deltas: {
          type: 'tosca.policies.nfv.VduScalingAspectDeltas',
          properties: { aspect: 'worker', deltas: { d: { number_of_instances: 2 } } },
          targets: ['VDU1'],
        },
      },
      {
        initial: {
          type: 'tosca.policies.nfv.VduInitialDelta',
          properties: { initial_delta: { number_of_instances: 1 } },
          targets: ['VDU1'],
        },
      },
      {
        levels: {
          type: 'tosca.policies.nfv.InstantiationLevels',
          properties: { default_level: 'small', levels: { small: { scale_info: { worker: { scale_level: 1 } } } } },
        },
      },
      { apart: { type: 'tosca.policies.nfv.AntiAffinityRule', properties: { scope: 'nfvi_node' }, targets: ['VDU1'] } },
      { near: { type: 'tosca.policies.nfv.AffinityRule', properties: { scope: 'zone' }, targets: ['side'] } },
      { far: { type: 'tosca.policies.nfv.AffinityRule', properties: { scope: 'nfvi_pop' }, targets: ['VDU1'] } },
    ],
  },
};

const REQUEST: JsonObject = {
  flavourId: 'simple',
  additionalParams: { nfv: { VDU: { VDU1: { flavor: 'm1.small', image: null } } } },
  extVirtualLinks: [
    {
      id: 'outside',
      resourceId: 'net0',
      extCps: [
        {
          cpdId: 'CP1',
          cpConfig: [
            {
              cpConfigId: 'first',
              cpProtocolData: [
                {
                  layerProtocol: 'IP_OVER_ETHERNET',
                  ipOverEthernet: { ipAddresses: [{ type: 'IPV4', fixedAddresses: ['10.0.0.5'], subnetId: 'subnet0' }] },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
};

const IMPORTS = `from oslo_log import log as logging
from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.common import exceptions as sol_ex
from tacker.sol_refactored.common import vnf_instance_utils as inst_utils
from tacker.sol_refactored.common import vnfd_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils

LOG = logging.getLogger(__name__)
`;

/** A class of the second version whose `instantiate` returns these parameters. */
const v2 = (body: string, imports = IMPORTS): string => `${imports}

class Data(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
${body
  .split('\n')
  .map((line) => `        ${line}`)
  .join('\n')}
`;

const parametersOf = async (text: string, more: Omit<Asked, 'text'> = {}): Promise<unknown> => {
  const { facts, ...asked } = more;
  const { result } = await run({ text, vnfd: VNFD, facts: { request: REQUEST, ...facts }, ...asked });
  return result?.parameters;
};

describe('a script of the second version', () => {
  it('merges what the request says over what it has computed, by the helper that the standard scripts import', async () => {
    const parameters = await parametersOf(
      v2(`nfv = {"VDU": {"VDU1": {"flavor": "m1.tiny", "image": "cirros"}}}
nfv = inst_utils.json_merge_patch(nfv, req["additionalParams"]["nfv"])
same = inst_utils.json_merge_patch([1], {"a": {"b": None}, "c": [None]})
return {"parameters": {"nfv": nfv, "same": same, "plain": inst_utils.json_merge_patch({"a": 1}, 2)}}`),
    );
    expect(parameters).toEqual({ nfv: { VDU: { VDU1: { flavor: 'm1.small' } } }, same: { a: {}, c: [null] }, plain: 2 });
  });

  it('asks the VNFD all that the reference system answers', async () => {
    const parameters = await parametersOf(
      v2(`vnfd = vnfd_utils.Vnfd(inst["vnfdId"])
vnfd.init_from_csar_dir(tmp_csar_dir)
nodes = vnfd.get_vdu_nodes("simple")
return {"parameters": {
    "properties": vnfd.get_vnfd_properties(),
    "storages": [vnfd.get_vdu_storages(nodes["VDU1"]), vnfd.get_vdu_storages("simple", "VDU1"), vnfd.get_vdu_storages(nodes["VDU2"])],
    "cps": vnfd.get_vdu_cps("simple", "VDU1"),
    "links": [vnfd.get_vl_name_from_cp("simple", cp) for cp in vnfd.get_vducp_nodes("simple").values()],
    "policies": [policy["targets"] for policy in vnfd.get_policy_values_by_type("simple", "tosca.policies.nfv.AffinityRule")],
    "groups": vnfd.get_placement_groups("simple"),
    "near": vnfd.get_affinity_targets("simple"),
    "apart": vnfd.get_anti_affinity_targets("simple"),
    "scripts": [vnfd.get_interface_script("simple", "scale_start"), vnfd.get_interface_script("simple", "instantiate")],
    "levels": [vnfd.get_scale_info_from_inst_level("simple", "small"), vnfd.get_scale_info_from_inst_level("simple", "none")],
    "max": [vnfd.get_max_scale_level("simple", "worker"), vnfd.get_max_scale_level("simple", "none")],
    "initial": vnfd.get_initial_delta("simple", "VDU1"),
    "steps": vnfd.get_scale_vdu_and_num("simple", "worker"),
    "flavours": [vnfd.get_vnfd_flavour("simple") is not None, vnfd.get_vnfd_flavour("other")],
    "files": vnfd.get_vnf_artifact_files(),
    "meta": vnfd.tosca_meta,
}}`),
      {
        more: {
          'TOSCA-Metadata/TOSCA.meta':
            'TOSCA-Meta-File-Version: 1.0\r\nEntry-Definitions: Definitions/vnfd.yaml\r\n\r\nName: Files/a.img\r\nContent-Type: x\r\n',
        },
      },
    );
    expect(parameters).toEqual({
      properties: { vnfConfigurableProperties: {}, extensions: {}, metadata: {} },
      storages: [['VS', 'VS2'], ['VS', 'VS2'], []],
      cps: ['CP1', 'CP2'],
      links: [null, 'inner'],
      policies: [['side'], ['VDU1']],
      groups: { side: ['VDU1', 'VDU2'] },
      near: [[['VDU1', 'VDU2'], 'zone']],
      apart: [[['VDU1'], 'nfvi_node']],
      scripts: ['../Scripts/driver.py', null],
      levels: [{ worker: { scale_level: 1 } }, {}],
      max: [3, 0],
      initial: 1,
      steps: { VDU1: 2 },
      flavours: [true, null],
      files: ['Files/a.img'],
      meta: { 'TOSCA-Meta-File-Version': '1.0', 'Entry-Definitions': 'Definitions/vnfd.yaml' },
    });
  });

  it('finds an image by the properties of its artifact, as SOL001 3 has it, where the node says nothing of it', async () => {
    const node = { type: 'tosca.nodes.nfv.Vdu.Compute' };
    const image = { type: 'tosca.artifacts.nfv.SwImage', file: 'x.img', properties: { name: 'ubuntu', min_disk: '2 GB' } };
    const script = { type: 'tosca.artifacts.Implementation.Python', file: 'a.py' };
    const node_templates = {
      VDU1: { ...node, artifacts: { script, image } },
      VDU2: { ...node, properties: { sw_image_data: { name: 'own' } }, artifacts: { image } },
      VDU3: { ...node, artifacts: { script } },
    };
    const parameters = await parametersOf(
      v2('return {"parameters": {"images": vnfd_utils.Vnfd(inst["vnfdId"]).get_sw_image("simple")}}'),
      { vnfd: { topology_template: { node_templates } } },
    );
    expect(parameters).toEqual({ images: { VDU1: 'ubuntu', VDU2: 'own' } });
  });

  it.each([['4 GiB'], ['4GiB'], ['4096 mib']])('of the first version gets the size of %s', async (virtual_mem_size) => {
    const virtual_compute = { properties: { virtual_memory: { virtual_mem_size } } };
    const node_templates = { VDU1: { type: 'tosca.nodes.nfv.Vdu.Compute', capabilities: { virtual_compute } } };
    const sizes = 'return {"parameters": utils.create_vdu_flavor_dict({"topology_template": {"node_templates": NODES}})}';
    const imports = `${IMPORTS}from tacker.vnfm.lcm_user_data import utils\nNODES = ${JSON.stringify(node_templates)}`;
    expect(await parametersOf(v2(sizes, imports))).toEqual({ VDU1: { ram: 4096 } });
  });

  // The same rows hold for stacks: libs/vnf-package/src/vnfd/wrong-unit.spec.ts.
  it.each([
    ['1.5 GiB', 1536, 2],
    ['2 GB', 1908, 2],
    ['1000 MB', 954, 1],
    ['1 B', 1, 1],
    ['0.1 tb', 95368, 94],
    ['0', 0, 0],
  ])('of the first version gets %s rounded up, as a stack does: %d MiB, %d GiB', async (size, ram, disk) => {
    const properties = {
      virtual_memory: { virtual_mem_size: size },
      virtual_local_storage: [{ size_of_storage: size }],
    };
    const NODES = { VDU1: { type: 'tosca.nodes.nfv.Vdu.Compute', capabilities: { virtual_compute: { properties } } } };
    const sizes = 'return {"parameters": utils.create_vdu_flavor_dict({"topology_template": {"node_templates": NODES}})}';
    const imports = `${IMPORTS}from tacker.vnfm.lcm_user_data import utils\nNODES = ${JSON.stringify(NODES)}`;
    expect(await parametersOf(v2(sizes, imports))).toEqual({ VDU1: { ram, disk } });
  });

  it('reads connection points as SOL003 3.3.1 has them: configurations by their keys, in the request and in the instance', async () => {
    const extCps = (REQUEST.extVirtualLinks as JsonObject[])[0]?.extCps as JsonObject[];
    const instance = {
      id: 'an-instance',
      vnfdId: 'a-vnfd',
      instantiatedVnfInfo: {
        flavourId: 'simple',
        extVirtualLinkInfo: [{ id: 'outside', resourceHandle: { resourceId: 'net0' }, currentVnfExtCpData: extCps }],
      },
    };
    const parameters = await parametersOf(
      v2(`keys = [list(cp["cpConfig"]) for link in req["extVirtualLinks"] for cp in link["extCps"]]
cp = req["extVirtualLinks"][0]["extCps"][0]
return {"parameters": {
    "keys": keys,
    "addresses": [common_script_utils._get_fixed_ips_from_extcp(cp), userdata_utils._get_fixed_ips_from_extcp(cp)],
    "now": [common_script_utils.get_param_network_from_inst("CP1", inst), common_script_utils.get_param_fixed_ips_from_inst("CP1", inst)],
}}`),
      { facts: { instance } },
    );
    const addresses = [{ ip_address: '10.0.0.5', subnet: 'subnet0' }];
    expect(parameters).toEqual({ keys: [['first']], addresses: [addresses, addresses], now: ['net0', addresses] });
  });

  it('of an older day finds the questions beside its base class, and hands them the request', async () => {
    const parameters = await parametersOf(
      v2(`vnfd = userdata_utils.get_vnfd(inst["vnfdId"], tmp_csar_dir)
return {"parameters": {
    "flavor": userdata_utils.get_param_flavor("VDU1", req, vnfd, grant),
    "image": userdata_utils.get_param_image("VDU1", req, vnfd, grant),
    "disk": userdata_utils.get_param_image("VS", req["flavourId"], vnfd, grant),
}}`),
    );
    expect(parameters).toEqual({ flavor: 'm1.tiny', image: 'cirros', disk: 'disk' });
  });

  it('imports what lies beside it: by its own name, from its folder, and relative to itself', async () => {
    const imports = `${IMPORTS}import beside
from UserData import beside as again
from . import beside as once_more
from .names import NAME
`;
    const parameters = await parametersOf(
      v2('return {"parameters": {"said": [beside.WORD, again.WORD, once_more.WORD, NAME]}}', imports),
      {
        more: {
          'UserData/__init__.py': '',
          'UserData/beside.py': 'WORD = "here"\n',
          'UserData/names.py': 'from .beside import WORD\nNAME = WORD + "!"\n',
        },
      },
    );
    expect(parameters).toEqual({ said: ['here', 'here', 'here', 'here!'] });
  });

  it('says in its own words why it can not go on', async () => {
    const text = v2('raise sol_ex.SolHttpError422(sol_detail="two networks are needed")');
    await expect(parametersOf(text)).rejects.toThrow(
      /SolHttpError422: two networks are needed, at UserData\/user_data.py line \d+/,
    );
  });
});
