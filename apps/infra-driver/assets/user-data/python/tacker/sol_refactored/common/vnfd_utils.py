"""The VNFD, for scripts of the second version."""

import copy
import os
import re

import windlass_vnfd as of_vnfd
from tacker.sol_refactored.common import exceptions as sol_ex
from windlass_objects import JOB


class Vnfd:
    """Knows the flavour that the operation works with, and no other."""

    def __init__(self, vnfd_id):
        self.vnfd_id = vnfd_id
        self.csar_dir = "/package"
        self.tosca_meta = {}

    def init_from_csar_dir(self, csar_dir):
        """Reads the package's metadata. The flavour is known without: it was read when the package was onboarded."""
        self.csar_dir = csar_dir
        self.tosca_meta = _block(self._meta_blocks()[:1])

    def _meta_blocks(self):
        return _blocks(os.path.join(self.csar_dir, "TOSCA-Metadata", "TOSCA.meta"))

    def _flavour(self, flavour_id):
        if flavour_id != JOB["flavourId"]:
            raise KeyError(f"the operation works with the flavour {JOB['flavourId']}, not with {flavour_id}")
        return JOB["vnfd"]

    def get_vnfd_flavour(self, flavour_id):
        """The VNFD's file of the flavour, parsed; None of a flavour that the operation does not work with."""
        return copy.deepcopy(JOB["vnfd"]) if flavour_id == JOB["flavourId"] else None

    def get_vnfd_properties(self):
        """What the VNFD says beforehand of configurable properties, extensions and metadata: nothing is read of it."""
        return {"vnfConfigurableProperties": {}, "extensions": {}, "metadata": {}}

    def get_nodes(self, flavour_id, node_type):
        return copy.deepcopy(of_vnfd.nodes(self._flavour(flavour_id), node_type))

    def get_vdu_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, of_vnfd.COMPUTE)

    def get_storage_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, of_vnfd.STORAGE)

    def get_virtual_link_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, of_vnfd.LINK)

    def get_vducp_nodes(self, flavour_id):
        return self.get_nodes(flavour_id, of_vnfd.CP)

    def get_vdu_cps(self, flavour_id, vdu_name):
        nodes = self.get_vducp_nodes(flavour_id)
        return [name for name, node in nodes.items() if vdu_name in _targets(node, "virtual_binding")]

    def get_vdu_storages(self, vdu, vdu_name=None):
        """Names of the storages that a VDU asks for: of its node, or of a flavour's id and its name."""
        node = vdu if vdu_name is None else of_vnfd.nodes(self._flavour(vdu)).get(vdu_name, {})
        return list(_targets(node, "virtual_storage"))

    def get_vl_name_from_cp(self, flavour_id, cp_data):
        """The virtual link that a connection point's node asks for; None of an external one."""
        return next(_targets(cp_data, "virtual_link"), None)

    def get_base_hot(self, flavour_id):
        """{'template': the top template, 'files': {name: nested template}}, parsed."""
        self._flavour(flavour_id)
        return copy.deepcopy(JOB["baseHot"])

    def get_compute_flavor(self, flavour_id, vdu_name):
        node = of_vnfd.nodes(self._flavour(flavour_id)).get(vdu_name)
        return of_vnfd.flavor_name(node) if node else None

    def get_sw_image_data(self, flavour_id):
        found = {name: of_vnfd.image_data(node) for name, node in of_vnfd.nodes(self._flavour(flavour_id)).items()}
        return {name: copy.deepcopy(data) for name, data in found.items() if data}

    def get_sw_image(self, flavour_id):
        return {name: data.get("name") for name, data in self.get_sw_image_data(flavour_id).items()}

    def get_default_instantiation_level(self, flavour_id):
        return of_vnfd.default_level(self._flavour(flavour_id))

    def get_vdu_num(self, flavour_id, vdu_name, instantiation_level):
        vnfd = self._flavour(flavour_id)
        for policy in of_vnfd.policies(vnfd, "VduInstantiationLevels"):
            levels = (policy.get("properties") or {}).get("levels") or {}
            if vdu_name in (policy.get("targets") or []) and instantiation_level in levels:
                return int(levels[instantiation_level]["number_of_instances"])
        return of_vnfd.initial_of(vnfd, vdu_name)

    def get_scale_vdu_and_num(self, flavour_id, aspect_id):
        """By VDU, how many instances a step of the aspect adds."""
        return of_vnfd.steps_of(self._flavour(flavour_id), aspect_id)

    def get_scale_info_from_inst_level(self, flavour_id, inst_level):
        """By aspect, {'scale_level'} at an instantiation level."""
        return copy.deepcopy(of_vnfd.level(self._flavour(flavour_id), inst_level).get("scale_info") or {})

    def get_max_scale_level(self, flavour_id, aspect_id):
        for policy in of_vnfd.policies(self._flavour(flavour_id), "ScalingAspects"):
            aspect = ((policy.get("properties") or {}).get("aspects") or {}).get(aspect_id)
            if aspect is not None:
                return aspect["max_scale_level"]
        return 0

    def get_initial_delta(self, flavour_id, vdu_name):
        """How many instances of a VDU there are where all aspects stand at 0."""
        return of_vnfd.initial_of(self._flavour(flavour_id), vdu_name)

    def get_policy_values_by_type(self, flavour_id, policy_type):
        """The policies of a type, by its whole name."""
        return copy.deepcopy(of_vnfd.of_type(self._flavour(flavour_id), "policies", policy_type))

    def get_placement_groups(self, flavour_id):
        """By name of a placement group, its members."""
        return copy.deepcopy(of_vnfd.placement_groups(self._flavour(flavour_id)))

    def get_affinity_targets(self, flavour_id):
        """Those that stand together: (names, 'zone' or 'nfvi_node') of each rule."""
        return of_vnfd.rules(self._flavour(flavour_id), "AffinityRule")

    def get_anti_affinity_targets(self, flavour_id):
        """Those that stand apart: (names, 'zone' or 'nfvi_node') of each rule."""
        return of_vnfd.rules(self._flavour(flavour_id), "AntiAffinityRule")

    def get_interface_script(self, flavour_id, operation):
        """The file that the VNFD binds to an operation of Vnflcm; None where it binds none."""
        for node in of_vnfd.nodes(self._flavour(flavour_id)).values():
            bound = ((node.get("interfaces") or {}).get("Vnflcm") or {}).get(operation)
            name = bound.get("implementation") if isinstance(bound, dict) else bound
            name = name.get("primary") if isinstance(name, dict) else name
            artifact = (node.get("artifacts") or {}).get(name) if isinstance(name, str) else None
            if artifact is None:
                continue
            if artifact.get("type") != "tosca.artifacts.Implementation.Python":
                raise sol_ex.SolHttpError422(sol_detail=f"Unsupported script type {artifact.get('type')}")
            return artifact.get("file")
        return None

    def get_vnf_artifact_files(self):
        """The files that the manifest names, or TOSCA.meta where there is none."""
        manifest = self.tosca_meta.get("ETSI-Entry-Manifest")
        key, blocks = ("Source", _blocks(os.path.join(self.csar_dir, manifest))) if manifest else ("Name", self._meta_blocks())
        return [block[key] for block in map(_block, ([each] for each in blocks)) if block.get(key)]


def _targets(node, requirement):
    """What a node asks for by that name, in the short form and in the long one."""
    for each in node.get("requirements") or []:
        target = each.get(requirement)
        target = target.get("node") if isinstance(target, dict) else target
        if target is not None:
            yield target


def _blocks(path):
    """The parts of a metadata file, which empty lines divide; none where the package has no such file."""
    if not os.path.isfile(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [block for block in re.split(r"\n\s*\n", file.read().replace("\r\n", "\n")) if block.strip()]


def _block(texts):
    """{name: value} of the lines of a part."""
    found = {}
    for line in "\n".join(texts).splitlines():
        name, colon, value = line.partition(":")
        if colon and not line.startswith((" ", "\t")):
            found[name.strip()] = value.strip()
    return found
