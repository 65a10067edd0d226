"""The VNFD's flavour as plain questions to it."""

COMPUTE = "tosca.nodes.nfv.Vdu.Compute"
STORAGE = "tosca.nodes.nfv.Vdu.VirtualBlockStorage"
CP = "tosca.nodes.nfv.VduCp"
LINK = "tosca.nodes.nfv.VnfVirtualLink"


def nodes(vnfd, node_type=None):
    found = ((vnfd or {}).get("topology_template") or {}).get("node_templates") or {}
    return {name: node for name, node in found.items() if node_type is None or node.get("type") == node_type}


def policies(vnfd, kind):
    """Policies of a kind, each with its properties and targets."""
    listed = ((vnfd or {}).get("topology_template") or {}).get("policies") or []
    listed = listed if isinstance(listed, list) else [listed]
    every = [policy for entry in listed for policy in entry.values()]
    return [policy for policy in every if policy.get("type") == "tosca.policies.nfv." + kind]


def compute_properties(node):
    return (((node.get("capabilities") or {}).get("virtual_compute") or {}).get("properties")) or {}


def flavor_name(node):
    asked = compute_properties(node).get("requested_additional_capabilities") or {}
    for each in (asked.get("properties"), asked, *asked.values()):
        if isinstance(each, dict) and "requested_additional_capability_name" in each:
            return each["requested_additional_capability_name"]
    return None


def image_data(node):
    return ((node.get("properties") or {}).get("sw_image_data")) or {}


_UNITS = {"B": 1, "KB": 10**3, "KIB": 2**10, "MB": 10**6, "MIB": 2**20, "GB": 10**9, "GIB": 2**30, "TB": 10**12, "TIB": 2**40}


def size_in(text, unit):
    """A TOSCA size such as "4 GB" in whole units."""
    number, _, given = str(text).strip().partition(" ")
    return int(float(number) * _UNITS[(given.strip() or "B").upper()] // _UNITS[unit.upper()])


def default_level(vnfd):
    for policy in policies(vnfd, "InstantiationLevels"):
        return (policy.get("properties") or {}).get("default_level")
    return None


def level_of_aspect(vnfd, level_id, aspect_id):
    for policy in policies(vnfd, "InstantiationLevels"):
        levels = (policy.get("properties") or {}).get("levels") or {}
        asked = ((levels.get(level_id) or {}).get("scale_info") or {}).get(aspect_id) or {}
        return int(asked.get("scale_level") or 0)
    return 0


def steps_of(vnfd, aspect_id):
    """By VDU, how many instances a step of the aspect adds."""
    steps = {}
    for policy in policies(vnfd, "VduScalingAspectDeltas"):
        properties = policy.get("properties") or {}
        if properties.get("aspect") != aspect_id:
            continue
        first = next(iter((properties.get("deltas") or {}).values()), {})
        for target in policy.get("targets") or []:
            steps[target] = int(first.get("number_of_instances") or 0)
    return steps


def aspects(vnfd):
    return [name for policy in policies(vnfd, "ScalingAspects") for name in (policy.get("properties") or {}).get("aspects") or {}]


def initial_of(vnfd, vdu):
    for policy in policies(vnfd, "VduInitialDelta"):
        if vdu in (policy.get("targets") or []):
            return int(((policy.get("properties") or {}).get("initial_delta") or {}).get("number_of_instances") or 0)
    return 1
