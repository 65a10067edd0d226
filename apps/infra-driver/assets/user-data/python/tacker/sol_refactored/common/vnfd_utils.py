"""The VNFD, for scripts of the second version."""

import copy

import windlass_vnfd as of_vnfd
from windlass_objects import JOB


class Vnfd:
    """Knows the flavour that the operation works with, and no other."""

    def __init__(self, vnfd_id):
        self.vnfd_id = vnfd_id

    def _flavour(self, flavour_id):
        if flavour_id != JOB["flavourId"]:
            raise KeyError(f"the operation works with the flavour {JOB['flavourId']}, not with {flavour_id}")
        return JOB["vnfd"]

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
        def binds(node):
            for requirement in node.get("requirements") or []:
                target = requirement.get("virtual_binding")
                if (target.get("node") if isinstance(target, dict) else target) == vdu_name:
                    return True
            return False

        return [name for name, node in self.get_vducp_nodes(flavour_id).items() if binds(node)]

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
        return of_vnfd.steps_of(self._flavour(flavour_id), aspect_id)
