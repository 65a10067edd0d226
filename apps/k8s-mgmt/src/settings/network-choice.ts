/** Network add-ons known by their names. The first is the default. */
export const NAMED_ADDONS = ['flannel', 'calico', 'none'] as const;

export type NamedAddon = (typeof NAMED_ADDONS)[number];

/** The parameter `network_addon`: one that is known by its name, or manifests of the package. */
export type NetworkAddonParam = NamedAddon | string[];

/** How a cluster's pods get their network. */
export type NetworkChoice =
  /** `none`: the cluster's users install a network, and its nodes are not Ready before. */
  | { addon: NamedAddon }
  /** By manifests of its package; paths as the request has them. */
  | { addon: 'manifests'; paths: readonly string[] };

/** By the parameter `network_addon` of a cluster's instantiation; a cluster of an earlier release has flannel. */
export function networkChoice({ network_addon: given = 'flannel' }: { network_addon?: NetworkAddonParam }): NetworkChoice {
  return typeof given === 'string' ? { addon: given } : { addon: 'manifests', paths: given };
}
