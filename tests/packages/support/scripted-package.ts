import { instantiate } from '../../lifecycle/support/desired-world.js';
import { scalingPackage } from '../../support/scaling-package.js';
import { openCsar, bufferCsarSource } from '@windlass/vnf-package';
import { zipOf } from '@windlass/vnf-package/testing';

export { instantiate };

/** The scaling package with more files. */
export async function scripted(files: Record<string, string>, changeTop?: (template: string) => string): Promise<Buffer> {
  const csar = await openCsar(bufferCsarSource(scalingPackage('b1bb0ce7-ebca-4fa7-95ed-4840d70a1177', undefined, changeTop)));
  const members = await Promise.all(
    csar.members.map(async ({ name }) => [name, await csar.readMember(name, 16 * 1024 * 1024)] as const),
  );
  return zipOf({ ...Object.fromEntries(members), ...files });
}

/** A script like those in packages of the reference system: names from the templates, flavors and images from the VNFD, networks from the request. */
export const FIRST_VERSION = `from tacker.vnfm.lcm_user_data.abstract_user_data import AbstractUserData
import tacker.vnfm.lcm_user_data.utils as UserDataUtil


class Data(AbstractUserData):
    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        asked = UserDataUtil.create_initial_param_server_port_dict(base_hot_dict)
        flavors = UserDataUtil.create_vdu_flavor_capability_name_dict(vnfd_dict)
        images = UserDataUtil.create_sw_image_dict(vnfd_dict)
        networks = UserDataUtil.create_network_dict(inst_req_info, asked)
        more = UserDataUtil.get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info)
        filled = UserDataUtil.create_final_param_dict(asked, flavors, images, networks)
        filled["nfv"]["VDU"]["VDU1"] = {"flavor": flavors["web"], "image": images["web"]}
        return {**filled, **more}

    @staticmethod
    def scale(base_hot_dict=None, vnfd_dict=None, scale_vnf_request=None, vnf_instances=None, inst_vnf_info=None, param=None, resource_number=None):
        levels = {status.aspect_id: status.scale_level for status in inst_vnf_info.scale_status}
        param["nfv"]["scaled"] = {
            "by": scale_vnf_request.type, "of": scale_vnf_request.aspect_id, "to": resource_number, "from": levels, "of_vnf": vnf_instances.id,
        }
        return param

    def heal(base_hot_dict=None, vnfd_dict=None, heal_vnf_request=None, vnf_instances=None, inst_vnf_info=None, param=None, vnfc_resource_info=None):
        param["nfv"]["healed"] = [vnfc.vdu_id for vnfc in vnfc_resource_info]
        param["nfv"]["asked"] = heal_vnf_request.vnfc_instance_id
        return param
`;

export const SECOND_VERSION = `import yaml
from tacker.sol_refactored.common import common_script_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


class Data(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = common_script_utils.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        flavour_id = req["flavourId"]
        hot = vnfd.get_base_hot(flavour_id)
        nfv = common_script_utils.init_nfv_dict(hot["template"])
        for name, vdu in nfv["VDU"].items():
            vdu["flavor"] = common_script_utils.get_param_flavor(name if name != "VDU1" else "web", flavour_id, vnfd, grant)
            vdu["image"] = common_script_utils.get_param_image(name if name != "VDU1" else "web", flavour_id, vnfd, grant)
        for name, cp in nfv["CP"].items():
            cp["network"] = common_script_utils.get_param_network(name, grant, req)
        nfv["counts"] = {name: common_script_utils.get_param_capacity(name, inst, grant_req) for name in nfv["VDU"]}
        files = {name: yaml.safe_dump(nested) for name, nested in hot["files"].items()}
        return {"template": yaml.safe_dump(hot["template"]), "parameters": {"nfv": nfv}, "files": files}

    @staticmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        counts = {}
        for vnfc in grant_req.get("addResources", []) + grant_req.get("removeResources", []):
            if vnfc["type"] == "COMPUTE":
                vdu = vnfc["resourceTemplateId"]
                counts[vdu] = common_script_utils.get_param_capacity(vdu, inst, grant_req)
        return {"parameters": {"nfv": {"counts": counts}}}

    @staticmethod
    def heal(req, inst, grant_req, grant, tmp_csar_dir):
        return {"parameters": {"nfv": {"healed": req.get("vnfcInstanceId"), "counts": None}}}
`;

export const MODULE = `const flavors = ({ topology_template: { node_templates: nodes } }) => (vdu) =>
  Object.values(nodes[vdu].capabilities.virtual_compute.properties.requested_additional_capabilities)[0].requested_additional_capability_name;

export const Data = {
  instantiate({ request, vnfd, templates }) {
    const CP = {};
    for (const { resourceId, extCps } of request.extVirtualLinks) for (const { cpdId } of extCps) CP[cpdId] = { network: resourceId };
    const VDU = {};
    for (const vdu of ['web', 'db', 'node']) VDU[vdu] = { flavor: flavors(vnfd)(vdu), image: 'cirros' };
    VDU.VDU1 = VDU.web;
    return { parameters: { nfv: { VDU, CP, groups: Object.keys(templates.template.resources).filter((name) => name.endsWith('_group')) } } };
  },
  async scale({ request, desiredCapacity }) {
    return { parameters: { nfv: { scaled: { of: request.aspectId, to: desiredCapacity } } } };
  },
  heal: ({ vnfcs }) => ({ parameters: { nfv: { healed: vnfcs.map(({ vduId }) => vduId) } } }),
};
`;
