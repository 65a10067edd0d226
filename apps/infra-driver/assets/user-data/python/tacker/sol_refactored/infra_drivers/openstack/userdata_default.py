"""The class for templates with auto scaling groups, to be derived from. Windlass itself needs no script for such packages."""

import yaml
from tacker.sol_refactored.common import common_script_utils as script
from tacker.sol_refactored.common import vnf_instance_utils as inst_utils
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils


def same(name):
    return name


def fill_vdus(vdus, node_of, flavour_id, vnfd, grant, zone_of):
    """What templates ask of VDUs and storages. @param node_of the node of the VNFD by the name that the template has"""
    for name, asked in vdus.items():
        node = node_of(name)
        if "computeFlavourId" in asked:
            asked["computeFlavourId"] = script.get_param_flavor(node, flavour_id, vnfd, grant)
        if "vcImageId" in asked:
            asked["vcImageId"] = script.get_param_image(node, flavour_id, vnfd, grant)
        if "locationConstraints" in asked:
            asked["locationConstraints"] = zone_of(name)


def filled_cps(cps, node_of, network_of, addresses_of):
    """What templates ask of connection points, of those that have a network or addresses."""
    filled = {}
    for name, asked in cps.items():
        found = {}
        network = network_of(node_of(name))
        if "network" in asked and network is not None:
            found["network"] = network
        if "fixed_ips" in asked:
            places = asked["fixed_ips"] or {}
            given = addresses_of(node_of(name)) or []
            kept = [{key: address.get(key) for key in places[place]} for place, address in enumerate(given) if place in places]
            if network is not None or kept:
                found["fixed_ips"] = kept
        if found:
            filled[name] = found
    return filled


def with_additional(nfv, req, grant):
    """What request and grant say of the parameter goes before what was computed."""
    for given in (req, grant):
        nfv = inst_utils.json_merge_patch(nfv, (given.get("additionalParams") or {}).get("nfv") or {})
    return nfv


def as_fields(hot, nfv):
    files = {name: yaml.safe_dump(nested) for name, nested in (hot.get("files") or {}).items()}
    return {"template": yaml.safe_dump(hot["template"]), "parameters": {"nfv": nfv}, "files": files}


class DefaultUserData(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = script.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        hot = vnfd.get_base_hot(req["flavourId"])
        nfv = script.init_nfv_dict(hot["template"])
        vdus = nfv.get("VDU", {})
        fill_vdus(vdus, same, req["flavourId"], vnfd, grant, lambda vdu: script.get_param_zone(vdu, grant_req, grant))
        for name, asked in vdus.items():
            if "desired_capacity" in asked:
                asked["desired_capacity"] = script.get_param_capacity(name, inst, grant_req)
        if "CP" in nfv:
            networks, addresses = script.get_param_network, script.get_param_fixed_ips
            found = filled_cps(nfv["CP"], same, lambda cp: networks(cp, grant, req), lambda cp: addresses(cp, grant, req))
            for name, asked in nfv["CP"].items():
                asked.update(found.get(name, {"fixed_ips": []} if "fixed_ips" in asked else {}))
        script.apply_ext_managed_vls(hot["template"], req, grant)
        return as_fields(hot, with_additional(nfv, req, grant))

    @staticmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = script.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        hot = vnfd.get_base_hot(inst["instantiatedVnfInfo"]["flavourId"])
        vdus = script.init_nfv_dict(hot["template"]).get("VDU", {})
        sizes = {
            name: {"desired_capacity": script.get_param_capacity(name, inst, grant_req)}
            for name, asked in vdus.items()
            if "desired_capacity" in asked
        }
        return {"parameters": {"nfv": {"VDU": sizes}}}

    @staticmethod
    def change_ext_conn(req, inst, grant_req, grant, tmp_csar_dir):
        vnfd = script.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        hot = vnfd.get_base_hot(inst["instantiatedVnfInfo"]["flavourId"])
        cps = script.init_nfv_dict(hot["template"]).get("CP", {})
        networks, addresses = script.get_param_network, script.get_param_fixed_ips
        moved = filled_cps(cps, same, lambda cp: networks(cp, grant, req), lambda cp: addresses(cp, grant, req))
        return {"parameters": {"nfv": {"CP": moved}}}

    @staticmethod
    def heal(req, inst, grant_req, grant, tmp_csar_dir):
        return {"parameters": {"nfv": {}}}
