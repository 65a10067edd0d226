/** What has to be known of a VNFD to read its VNF out of a stack. Any richer model of a VNFD has these members or gives them easily. */
export interface VnfModel {
  vdus: readonly VduModel[];
  cps: readonly CpModel[];
  virtualLinks: readonly { id: string }[];
  aspects: readonly AspectModel[];
}

export interface VduModel {
  id: string;
  /** Virtual storages that each VNFC of it has. */
  storageIds: readonly string[];
}

export interface CpModel {
  id: string;
  /** The VDU it is bound to; absent for one that belongs to the VNF itself, such as a VIP. */
  vduId?: string | undefined;
  /** The internal virtual link it is on; absent: the CP is external. */
  virtualLinkId?: string | undefined;
}

export interface AspectModel {
  id: string;
  /** The VDUs that the aspect scales: how many VNFCs at level 0, and how many more with each level. */
  vdus: readonly { vduId: string; initial: number; delta: number }[];
}

/** Which id of the VNFD a resource name stands for. */
export interface Described {
  id: string;
  /** `3` in `masterNode-3`: copies that standard user data makes of one resource. */
  copy: string | undefined;
}

/** Reads a resource name as an id of the VNFD, or as a copy of one; undefined for the names of other resources. */
export function describedBy(name: string, ids: ReadonlySet<string>): Described | undefined {
  if (ids.has(name)) return { id: name, copy: undefined };
  const found = /^(.+)-(\d+)$/.exec(name);
  return found?.[1] !== undefined && ids.has(found[1]) ? { id: found[1], copy: found[2] } : undefined;
}
