"""The class for templates with a resource for each VDU, of which a copy is made for each VNFC: VDU1-0, VDU1-1. To be derived from."""

import copy

import yaml
from tacker.sol_refactored.common import common_script_utils as script
from tacker.sol_refactored.infra_drivers.openstack import userdata_utils
from tacker.sol_refactored.infra_drivers.openstack.userdata_default import as_fields, fill_vdus, filled_cps, with_additional


def add_idx(name, index):
    return f"{name}-{index}"


def rm_idx(name_idx):
    return name_idx.rpartition("-")[0]


def add_idx_to_vdu_template(vdu_template, vdu_idx):
    """A copy of a resource, which asks for the values of its own number: [nfv, VDU, VDU1-0, vcImageId]."""
    numbered = copy.deepcopy(vdu_template)

    def follow(value):
        if isinstance(value, dict):
            for key, each in value.items():
                if key == "get_param" and isinstance(each, list) and len(each) >= 4:
                    each[2] = add_idx(each[2], vdu_idx)
                else:
                    follow(each)
        elif isinstance(value, list):
            for each in value:
                follow(each)

    follow(numbered.get("properties") or {})
    return numbered


class _Layout:
    """The templates of a flavour, with the resources of its VDUs set aside."""

    def __init__(self, inst, flavour_id, tmp_csar_dir):
        self.vnfd = script.get_vnfd(inst["vnfdId"], tmp_csar_dir)
        self.flavour_id = flavour_id
        self.hot = self.vnfd.get_base_hot(flavour_id)
        self.resources = self.hot["template"]["resources"]
        self.models = {name: self.resources.pop(name) for name in self.vnfd.get_vdu_nodes(flavour_id) if name in self.resources}

    def add(self, vdu, number):
        self.resources[add_idx(vdu, number)] = add_idx_to_vdu_template(self.models[vdu], number)

    def add_granted(self, grant_req, grant, first):
        """Copies for the servers that come. Gives the zone of each that was granted one."""
        numbers = {vdu: first(vdu) for vdu in self.models}
        zones = {}
        for res in grant_req["addResources"]:
            vdu = res.get("resourceTemplateId")
            if res["type"] != "COMPUTE" or vdu not in self.models:
                continue
            self.add(vdu, numbers[vdu])
            zones[add_idx(vdu, numbers[vdu])] = script.get_param_zone_by_vnfc(res["id"], grant)
            numbers[vdu] += 1
        return zones

    def nfv(self):
        return script.init_nfv_dict(self.hot["template"])

    def without(self, copies):
        """The fields that take these copies away: (VDU, number) of each."""
        vdus, cps = {}, {}
        for vdu, number in copies:
            for name in [vdu, *self.vnfd.get_vdu_storages(self.flavour_id, vdu)]:
                vdus[add_idx(name, number)] = None
            for name in self.vnfd.get_vdu_cps(self.flavour_id, vdu):
                cps[add_idx(name, number)] = None
        resources = {add_idx(vdu, number): None for vdu, number in copies}
        return {"template": yaml.safe_dump({"resources": resources}), "parameters": {"nfv": {"VDU": vdus, "CP": cps}}}


def _of_instance(inst, tmp_csar_dir):
    return _Layout(inst, inst["instantiatedVnfInfo"]["flavourId"], tmp_csar_dir)


def _copies_of(inst, resources):
    """(VDU, number) of the VNFCs whose servers these are."""
    ids = {res["resource"]["resourceId"] for res in resources if res["type"] == "COMPUTE"}
    vnfcs = inst["instantiatedVnfInfo"].get("vnfcResourceInfo") or []
    return [(vnfc["vduId"], vnfc["metadata"]["vdu_idx"]) for vnfc in vnfcs if vnfc["computeResource"]["resourceId"] in ids]


class StandardUserData(userdata_utils.AbstractUserData):
    @staticmethod
    def instantiate(req, inst, grant_req, grant, tmp_csar_dir):
        layout = _Layout(inst, req["flavourId"], tmp_csar_dir)
        zones = layout.add_granted(grant_req, grant, lambda vdu: 0)
        nfv = layout.nfv()
        fill_vdus(nfv.get("VDU", {}), rm_idx, req["flavourId"], layout.vnfd, grant, zones.get)
        networks, addresses = script.get_param_network, script.get_param_fixed_ips
        nfv["CP"] = filled_cps(nfv.get("CP", {}), rm_idx, lambda cp: networks(cp, grant, req), lambda cp: addresses(cp, grant, req))
        script.apply_ext_managed_vls(layout.hot["template"], req, grant)
        return as_fields(layout.hot, with_additional(nfv, req, grant))

    @staticmethod
    def scale(req, inst, grant_req, grant, tmp_csar_dir):
        layout = _of_instance(inst, tmp_csar_dir)
        if req["type"] == "SCALE_IN":
            return layout.without(_copies_of(inst, grant_req["removeResources"]))
        zones = layout.add_granted(grant_req, grant, lambda vdu: script.get_current_capacity(vdu, inst))
        nfv = layout.nfv()
        fill_vdus(nfv.get("VDU", {}), rm_idx, layout.flavour_id, layout.vnfd, grant, zones.get)
        networks, addresses = script.get_param_network_from_inst, script.get_param_fixed_ips_from_inst
        nfv["CP"] = filled_cps(nfv.get("CP", {}), rm_idx, lambda cp: networks(cp, inst), lambda cp: addresses(cp, inst))
        script.apply_ext_managed_vls_from_inst(layout.hot["template"], inst)
        return {"template": yaml.safe_dump(layout.hot["template"]), "parameters": {"nfv": nfv}}

    @staticmethod
    def change_ext_conn(req, inst, grant_req, grant, tmp_csar_dir):
        layout = _of_instance(inst, tmp_csar_dir)
        for vnfc in inst["instantiatedVnfInfo"].get("vnfcResourceInfo") or []:
            if vnfc["metadata"].get("vdu_idx") is not None:
                layout.add(vnfc["vduId"], vnfc["metadata"]["vdu_idx"])
        networks, addresses = script.get_param_network, script.get_param_fixed_ips
        cps = layout.nfv().get("CP", {})
        moved = filled_cps(cps, rm_idx, lambda cp: networks(cp, grant, req), lambda cp: addresses(cp, grant, req))
        return {"parameters": {"nfv": {"CP": moved}}}

    @staticmethod
    def heal(req, inst, grant_req, grant, tmp_csar_dir):
        layout = _of_instance(inst, tmp_csar_dir)
        for vdu, number in _copies_of(inst, grant_req["removeResources"]):
            layout.add(vdu, number)
        images = {}
        for name, asked in layout.nfv().get("VDU", {}).items():
            image = script.get_param_image(rm_idx(name), layout.flavour_id, layout.vnfd, grant, fallback_vnfd=False)
            if "vcImageId" in asked and image is not None:
                images[name] = {"vcImageId": image}
        return {"parameters": {"nfv": {"VDU": images}}}
