"""The questions that scripts of the second version ask. Requests, grants and instances are plain JSON objects here."""

from tacker.sol_refactored.common import vnfd_utils


def get_vnfd(vnfd_id, csar_dir):
    """The VNFD of the package, for the flavour that the operation works with."""
    vnfd = vnfd_utils.Vnfd(vnfd_id)
    vnfd.init_from_csar_dir(csar_dir)
    return vnfd


def init_nfv_dict(hot_template):
    """What a template asks of the parameter nfv, with None in each place."""
    nfv = {}

    def follow(value):
        if isinstance(value, list):
            for each in value:
                follow(each)
        if not isinstance(value, dict):
            return
        for key, each in value.items():
            if key != "get_param":
                follow(each)
            elif isinstance(each, list) and len(each) >= 4 and each[0] == "nfv":
                place = nfv
                for name in each[1:-1]:
                    place = place.setdefault(name, {})
                place[each[-1]] = None

    for resource in (hot_template.get("resources") or {}).values():
        follow(resource.get("properties") or {})
    return nfv


def _asset(grant, kind, key, name):
    for asset in (grant.get("vimAssets") or {}).get(kind) or []:
        if asset[key] == name:
            return asset
    return None


def _flavour_id(given):
    """Older scripts hand the request of the instantiation in the place of the flavour's id."""
    return given["flavourId"] if isinstance(given, dict) else given


def get_param_flavor(vdu_name, flavour_id, vnfd, grant):
    """The flavor that is granted, else the one that the VNFD names."""
    asset = _asset(grant, "computeResourceFlavours", "vnfdVirtualComputeDescId", vdu_name)
    return asset["vimFlavourId"] if asset else vnfd.get_compute_flavor(_flavour_id(flavour_id), vdu_name)


def get_param_image(vdu_name, flavour_id, vnfd, grant, fallback_vnfd=True):
    """The image that is granted, else the one that the VNFD names."""
    asset = _asset(grant, "softwareImages", "vnfdSoftwareImageId", vdu_name)
    if asset:
        return asset["vimSoftwareImageId"]
    return vnfd.get_sw_image(_flavour_id(flavour_id)).get(vdu_name) if fallback_vnfd else None


def _zone(grant, zone_id):
    return next((zone["zoneId"] for zone in grant.get("zones") or [] if zone["id"] == zone_id), None)


def get_param_zone(vdu_name, grant_req, grant):
    """The zone of the first new instance of a VDU that was granted one."""
    wanted = {res["id"] for res in grant_req.get("addResources") or [] if res.get("resourceTemplateId") == vdu_name}
    for resource in grant.get("addResources") or []:
        if resource["resourceDefinitionId"] in wanted and "zoneId" in resource:
            return _zone(grant, resource["zoneId"])
    return None


def get_param_zone_by_vnfc(res_id, grant):
    """The zone that was granted to one resource of the request."""
    for resource in grant.get("addResources") or []:
        if resource["resourceDefinitionId"] == res_id:
            return _zone(grant, resource["zoneId"]) if "zoneId" in resource else None
    return None


def get_current_capacity(vdu_name, inst):
    """How many instances of a VDU there are."""
    vnfcs = (inst.get("instantiatedVnfInfo") or {}).get("vnfcResourceInfo") or []
    return sum(1 for vnfc in vnfcs if vnfc["vduId"] == vdu_name)


def get_param_capacity(vdu_name, inst, grant_req):
    """How many there will be: with those that come, without those that go."""

    def count(of):
        return sum(1 for res in grant_req.get(of) or [] if res["type"] == "COMPUTE" and res.get("resourceTemplateId") == vdu_name)

    return get_current_capacity(vdu_name, inst) + count("addResources") - count("removeResources")


def _get_fixed_ips_from_extcp(cp):
    """[{'ip_address', 'subnet'}] of a connection point of a request. By this name scripts call it."""
    found = []
    configs = cp.get("cpConfig") or {}
    for config in configs.values() if isinstance(configs, dict) else configs:
        for protocol in config.get("cpProtocolData") or []:
            for address in (protocol.get("ipOverEthernet") or {}).get("ipAddresses") or []:
                entry = {}
                if address.get("fixedAddresses"):
                    entry["ip_address"] = str(address["fixedAddresses"][0])
                if "subnetId" in address:
                    entry["subnet"] = address["subnetId"]
                if entry:
                    found.append(entry)
    return found


def _requested_cp(cp_name, *sources):
    """The link and the connection point, from the first source that has it."""
    for source in sources:
        for link in source.get("extVirtualLinks") or []:
            for cp in link["extCps"]:
                if cp["cpdId"] == cp_name:
                    return link, cp
    return None, None


def get_param_network(cp_name, grant, req):
    link, _ = _requested_cp(cp_name, grant, req)
    return link["resourceId"] if link else None


def get_param_fixed_ips(cp_name, grant, req):
    _, cp = _requested_cp(cp_name, grant, req)
    return _get_fixed_ips_from_extcp(cp) if cp else None


def _connected_cp(cp_name, inst):
    for link in inst["instantiatedVnfInfo"].get("extVirtualLinkInfo") or []:
        for cp in link.get("currentVnfExtCpData") or []:
            if cp["cpdId"] == cp_name:
                return link, cp
    return None, None


def get_param_network_from_inst(cp_name, inst):
    link, _ = _connected_cp(cp_name, inst)
    return link["resourceHandle"]["resourceId"] if link else None


def get_param_fixed_ips_from_inst(cp_name, inst):
    _, cp = _connected_cp(cp_name, inst)
    return _get_fixed_ips_from_extcp(cp) if cp else None


def _manage(hot_dict, networks):
    """Networks from outside take the place of those that the template would make."""
    resources = hot_dict.get("resources") or {}

    def replaced(value):
        if isinstance(value, dict):
            if set(value) == {"get_resource"} and value["get_resource"] in networks:
                return networks[value["get_resource"]]
            return {key: replaced(each) for key, each in value.items()}
        return [replaced(each) for each in value] if isinstance(value, list) else value

    def belongs(resource):
        network = (resource.get("properties") or {}).get("network")
        inside = isinstance(network, dict) and network.get("get_resource") in networks
        return resource.get("type") == "OS::Neutron::Subnet" and inside

    for name in [name for name, resource in resources.items() if name in networks or belongs(resource)]:
        del resources[name]
    for name, resource in resources.items():
        resources[name] = replaced(resource)


def apply_ext_managed_vls(hot_dict, req, grant):
    given = (req.get("extManagedVirtualLinks") or []) + (grant.get("extManagedVirtualLinks") or [])
    _manage(hot_dict, {link["vnfVirtualLinkDescId"]: link["resourceId"] for link in given})


def apply_ext_managed_vls_from_inst(hot_dict, inst):
    given = inst["instantiatedVnfInfo"].get("extManagedVirtualLinkInfo") or []
    _manage(hot_dict, {link["vnfVirtualLinkDescId"]: link["networkResource"]["resourceId"] for link in given})
