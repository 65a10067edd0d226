"""What the templates of this package ask for, from the VNFD and the request.

A request names this file as `lcm-operation-user-data` and the class as `lcm-operation-user-data-class`. Without them Windlass computes the
same by itself.
"""


class KubernetesClusterUserData:
    """Parameters of the stack of a cluster, for each of its flavours."""

    @staticmethod
    def instantiate(base_hot_dict=None, vnfd_dict=None, inst_req_info=None, grant_info=None):
        top = base_hot_dict["heat_template"]
        nodes = vnfd_dict["topology_template"]["node_templates"]
        connected = connected_cps(inst_req_info.ext_virtual_links)
        nfv = {}
        for section, name, attribute in wanted(base_hot_dict):
            values = nfv.setdefault(section, {}).setdefault(name, {})
            values[attribute] = of_vdu(nodes[name], attribute) if section == "VDU" else connected[name][attribute]
        # Whatever else the top template asks for, and the request has; the rest has defaults.
        given = inst_req_info.additional_params or {}
        others = {name: given[name] for name in top.get("parameters", {}) if name != "nfv" and name in given}
        return {"nfv": nfv, **others}


def wanted(template):
    """Section, name and attribute of each `get_param: [nfv, section, name, attribute]`, however deep it lies."""
    if isinstance(template, dict):
        asked = template.get("get_param")
        if isinstance(asked, list) and len(asked) >= 4 and asked[0] == "nfv":
            yield tuple(asked[1:4])
        template = template.values()
    if not isinstance(template, str) and hasattr(template, "__iter__"):
        for member in template:
            yield from wanted(member)


def of_vdu(node, attribute):
    """The Nova flavor of a VDU by its name, or its image by its."""
    if attribute == "image":
        return node["properties"]["sw_image_data"]["name"]
    compute = node["capabilities"]["virtual_compute"]["properties"]
    return compute["requested_additional_capabilities"]["properties"]["requested_additional_capability_name"]


def connected_cps(links):
    """Network, and fixed addresses where the request gives any, by connection point."""
    return {
        cp.cpd_id: {"network": link.resource_id, "fixed_ips": list(fixed_ips(cp.cp_config))}
        for link in links or []
        for cp in link.ext_cps
    }


def fixed_ips(configurations):
    for configuration in configurations or []:
        for protocol in configuration.cp_protocol_data or []:
            ethernet = getattr(protocol, "ip_over_ethernet", None)
            for entry in getattr(ethernet, "ip_addresses", None) or []:
                for address in getattr(entry, "fixed_addresses", None) or []:
                    yield {"subnet": entry.subnet_id, "ip_address": address}
