"""The VNFD's flavour as plain questions to it."""

import math
import re

COMPUTE = "tosca.nodes.nfv.Vdu.Compute"
STORAGE = "tosca.nodes.nfv.Vdu.VirtualBlockStorage"
CP = "tosca.nodes.nfv.VduCp"
LINK = "tosca.nodes.nfv.VnfVirtualLink"


def nodes(vnfd, node_type=None):
    found = ((vnfd or {}).get("topology_template") or {}).get("node_templates") or {}
    return {name: node for name, node in found.items() if node_type is None or node.get("type") == node_type}


def named(vnfd, section):
    """[(name, value)] of the policies or the groups: VNFDs write either as a list of maps or as one map."""
    listed = ((vnfd or {}).get("topology_template") or {}).get(section) or []
    listed = listed if isinstance(listed, list) else [listed]
    return [(name, value) for entry in listed for name, value in entry.items()]


def of_type(vnfd, section, type_name):
    return [value for _, value in named(vnfd, section) if value.get("type") == type_name]


def policies(vnfd, kind):
    """Policies of a kind, each with its properties and targets."""
    return of_type(vnfd, "policies", "tosca.policies.nfv." + kind)


def placement_groups(vnfd):
    kind = "tosca.groups.nfv.PlacementGroup"
    return {name: value.get("members") or [] for name, value in named(vnfd, "groups") if value.get("type") == kind}


def rules(vnfd, kind):
    """[(names, scope)] of the affinity rules of a kind, placement groups resolved. Other scopes are an NFVO's matter."""
    groups = placement_groups(vnfd)
    found = []
    for policy in policies(vnfd, kind):
        scope = (policy.get("properties") or {}).get("scope")
        if scope in ("zone", "nfvi_node"):
            targets = policy.get("targets") or []
            found.append(([name for target in targets for name in groups.get(target, [target])], scope))
    return found


def level(vnfd, level_id):
    for policy in policies(vnfd, "InstantiationLevels"):
        return ((policy.get("properties") or {}).get("levels") or {}).get(level_id) or {}
    return {}


def compute_properties(node):
    return (((node.get("capabilities") or {}).get("virtual_compute") or {}).get("properties")) or {}


def flavor_name(node):
    asked = compute_properties(node).get("requested_additional_capabilities") or {}
    for each in (asked.get("properties"), asked, *asked.values()):
        if isinstance(each, dict) and "requested_additional_capability_name" in each:
            return each["requested_additional_capability_name"]
    return None


def image_data(node):
    """What the node says of its image; SOL001 3 and later says it in the properties of the artifact."""
    own = (node.get("properties") or {}).get("sw_image_data")
    if own:
        return own
    artifacts = (node.get("artifacts") or {}).values()
    given = [each.get("properties") for each in artifacts if isinstance(each, dict) and str(each.get("type", "")).endswith("SwImage")]
    return next((properties for properties in given if properties), {})


_UNITS = {"B": 1, "KB": 10**3, "KIB": 2**10, "MB": 10**6, "MIB": 2**20, "GB": 10**9, "GIB": 2**30, "TB": 10**12, "TIB": 2**40}


def size_in(text, unit):
    """As many whole units as a TOSCA size such as "4 GB" needs, as stacks that Windlass translates have it: "1.5 GiB" are 2 GiB."""
    number, given = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", str(text)).groups()
    size = math.ceil(float(number) * _UNITS[(given or "B").upper()])
    return -(-size // _UNITS[unit.upper()])


def default_level(vnfd):
    for policy in policies(vnfd, "InstantiationLevels"):
        return (policy.get("properties") or {}).get("default_level")
    return None


def level_of_aspect(vnfd, level_id, aspect_id):
    asked = (level(vnfd, level_id).get("scale_info") or {}).get(aspect_id) or {}
    return int(asked.get("scale_level") or 0)


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
