"""The questions that scripts of the first version ask: what the templates want, and what the VNFD and the request have for it."""

import copy

import windlass_vnfd as of_vnfd

_GROUP = "OS::Heat::AutoScalingGroup"
_SERVER = "OS::Nova::Server"
_WITH_PORTS = (_SERVER, "OS::Neutron::Port", "OS::Cinder::Volume")
_ALL = _WITH_PORTS + ("OS::Nova::Flavor",)


def _asked_by(resource, kinds):
    """The four-element references in the properties of a resource that counts."""
    properties = resource.get("properties") or {}
    kind = resource.get("type")
    if kind == _GROUP:
        properties = (properties.get("resource") or {}).get("properties") or {}
    elif kind not in kinds:
        return
    values = list(properties.values())
    if kind == _SERVER:
        values += [device.get("image") for device in properties.get("block_device_mapping_v2") or [] if isinstance(device, dict)]
    for value in values:
        reference = value.get("get_param") if isinstance(value, dict) else None
        if isinstance(reference, list) and len(reference) == 4:
            yield reference


def _names_asked_for(base_hot_dict, kinds):
    asked = {"VDU": {}, "CP": {}}
    for template in base_hot_dict.values():
        if not (template.get("parameters") or {}).get("nfv"):
            continue
        for resource in (template.get("resources") or {}).values():
            for first, section, name, _ in _asked_by(resource, kinds):
                if first == "nfv" and section in asked:
                    asked[section].setdefault(name, {})
    return {"nfv": asked}


def create_initial_param_dict(base_hot_dict):
    """{'nfv': {'VDU': {name: {}}, 'CP': {name: {}}}}: all names that the templates ask for."""
    return _names_asked_for(base_hot_dict, _ALL)


def create_initial_param_server_port_dict(base_hot_dict):
    """The same of servers, ports, volumes and groups."""
    return _names_asked_for(base_hot_dict, _WITH_PORTS)


def create_final_param_dict(param_dict, vdu_flavor_dict, vdu_image_dict, cpd_vl_dict):
    """The names filled in: flavor and image of each VDU, network and addresses of each connection point that has any."""
    filled = copy.deepcopy(param_dict)
    nfv = filled.get("nfv") or {}
    for name, vdu in (nfv.get("VDU") or {}).items():
        vdu["flavor"] = vdu_flavor_dict.get(name)
        vdu["image"] = vdu_image_dict.get(name)
    for name, cp in (nfv.get("CP") or {}).items():
        known = (cpd_vl_dict or {}).get(name)
        if known is None:
            continue
        if not isinstance(known, dict):
            known = {"network": known}
        if "network" in known:
            cp["network"] = known["network"]
        if "fixed_ips" in known:
            cp["fixed_ips"] = list(known["fixed_ips"])
    return filled


def create_vdu_flavor_dict(vnfd_dict):
    """{VDU: {'vcpus', 'ram' in MiB, 'disk' in GiB}}, of those that the VNFD gives."""
    flavors = {}
    for name, node in of_vnfd.nodes(vnfd_dict).items():
        asked = of_vnfd.compute_properties(node)
        if not asked:
            continue
        flavor = {}
        if "virtual_cpu" in asked:
            flavor["vcpus"] = asked["virtual_cpu"]["num_virtual_cpu"]
        if "virtual_memory" in asked:
            flavor["ram"] = of_vnfd.size_in(asked["virtual_memory"]["virtual_mem_size"], "MiB")
        if "virtual_local_storage" in asked:
            flavor["disk"] = of_vnfd.size_in(asked["virtual_local_storage"][0]["size_of_storage"], "GiB")
        flavors[name] = flavor
    return flavors


def create_vdu_flavor_capability_name_dict(vnfd_dict):
    """{VDU: name of the flavor that the VNFD requests}."""
    names = {name: of_vnfd.flavor_name(node) for name, node in of_vnfd.nodes(vnfd_dict).items()}
    return {name: flavor for name, flavor in names.items() if flavor is not None}


def create_vdu_image_dict(grant_info):
    """{VDU: image}, as granted."""
    return {name: resources[-1].resource_identifier for name, resources in (grant_info or {}).items() if resources}


def create_sw_image_dict(vnfd_dict):
    """{VDU or storage: name of its image}."""
    images = {name: of_vnfd.image_data(node).get("name") for name, node in of_vnfd.nodes(vnfd_dict).items()}
    return {name: image for name, image in images.items() if image is not None}


def create_cpd_vl_dict(base_hot_dict, inst_req_info):
    """{connection point: network}, of those that a template makes a resource of."""
    made = {name for template in base_hot_dict.values() for name in template.get("resources") or {}}
    links = inst_req_info.ext_virtual_links or []
    return {cp.cpd_id: link.resource_id for link in links for cp in link.ext_cps or [] if cp.cpd_id in made}


def create_network_dict(inst_req_info, param_dict):
    """{connection point: {'network', 'fixed_ips'}}, of those that the templates ask for."""
    asked = (param_dict.get("nfv") or {}).get("CP") or {}
    return {
        cp.cpd_id: {"network": link.resource_id, "fixed_ips": _fixed_ips(cp)}
        for link in inst_req_info.ext_virtual_links or []
        for cp in link.ext_cps or []
        if cp.cpd_id in asked
    }


def _fixed_ips(cp):
    found = []
    for config in cp.cp_config or []:
        for protocol in config.cp_protocol_data or []:
            ethernet = protocol.ip_over_ethernet
            for address in (ethernet.ip_addresses if ethernet else None) or []:
                entry = {}
                if address.subnet_id:
                    entry["subnet"] = address.subnet_id
                if address.fixed_addresses:
                    entry["ip_address"] = address.fixed_addresses[-1]
                if entry:
                    found.append(entry)
    return found


def get_diff_base_hot_param_from_api(base_hot_dict, inst_req_info):
    """The parameters of the top template that additionalParams give."""
    given = inst_req_info.additional_params or {}
    asked = base_hot_dict["heat_template"].get("parameters") or {}
    return {name: given[name] for name in asked if given.get(name)}


def _scaled_aspects(base_hot_dict, vnfd_dict):
    resources = base_hot_dict["heat_template"].get("resources") or {}
    groups = {name.replace("_group", "") for name, resource in resources.items() if resource.get("type") == _GROUP}
    return [aspect for aspect in of_vnfd.aspects(vnfd_dict) if aspect in groups]


def _members(vnfd_dict, aspect, level):
    for vdu, step in of_vnfd.steps_of(vnfd_dict, aspect).items():
        return of_vnfd.initial_of(vnfd_dict, vdu) + step * level
    return None


def create_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_req_info):
    """{aspect: members of its group}, at the level that the request names or the VNFD's default one."""
    level = (inst_req_info.instantiation_level_id if inst_req_info else None) or of_vnfd.default_level(vnfd_dict)
    sizes = {
        aspect: _members(vnfd_dict, aspect, of_vnfd.level_of_aspect(vnfd_dict, level, aspect))
        for aspect in _scaled_aspects(base_hot_dict, vnfd_dict)
    }
    return {aspect: size for aspect, size in sizes.items() if size is not None}


def get_desired_capacity_dict(base_hot_dict, vnfd_dict, inst_vnf_info):
    """{aspect: members of its group}, where the aspects stand."""
    levels = {status.aspect_id: status.scale_level for status in inst_vnf_info.scale_status or []}
    sizes = {
        aspect: _members(vnfd_dict, aspect, levels[aspect])
        for aspect in _scaled_aspects(base_hot_dict, vnfd_dict)
        if aspect in levels
    }
    return {aspect: size for aspect, size in sizes.items() if size is not None}
