"""What scripts of the second version ask of instances and of JSON: those parts that need no database."""


def json_merge_patch(target, patch):
    """RFC 7396. Changes the target where it is a map, and gives what came of it: null takes a member away, a list takes the place of another."""
    if not isinstance(patch, dict):
        return patch
    merged = target if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = json_merge_patch(merged.get(name), value)
    return merged


def select_vim_info(vim_connection_info):
    """The first of the connections; None where there is none. Scripts are not told the credentials."""
    return next(iter((vim_connection_info or {}).values()), None)


def inst_href(inst_id, endpoint):
    return f"{endpoint}/v2/vnflcm/vnf_instances/{inst_id}"
