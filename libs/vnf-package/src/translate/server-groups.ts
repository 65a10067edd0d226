import type { Context } from './context.js';
import { REFUSED } from './table.js';
import type { Template } from './template.js';

/** The server groups of the flavour's rules: the reference of a VDU's, by the VDU. */
export function addServerGroups(context: Context, top: Template): ReadonlyMap<string, { get_resource: string }> {
  const groups = new Map<string, { get_resource: string }>();
  const ruleOf = new Map<string, string>();
  for (const { id, kind, scope, vduIds } of context.flavour.affinityRules) {
    if (scope === 'nfvi_pop' && kind === 'anti-affinity') throw context.refuse(id, REFUSED.apartInVim, 'has the scope nfvi_pop');
    if (scope !== 'nfvi_node') {
      // One VIM is one place; which zone a server is in, the grant says.
      if (scope === 'network_link_and_node')
        context.warn('translation.left-out', id, `its scope ${scope} is left out: use nfvi_node, which places servers`);
      else if (scope !== 'nfvi_pop')
        context.warn('translation.zones-of-grant', id, `has the scope ${scope}: the grant chooses the zones`);
      continue;
    }
    if (vduIds.length === 0) continue;
    const group = top.addBeside(id, { type: 'OS::Nova::ServerGroup', properties: { policies: [kind] } });
    for (const vduId of vduIds) {
      const other = ruleOf.get(vduId);
      if (other !== undefined) throw context.refuse(vduId, REFUSED.twoGroups, `is in the rules "${other}" and "${id}"`);
      ruleOf.set(vduId, id);
      groups.set(vduId, group);
    }
  }
  return groups;
}
