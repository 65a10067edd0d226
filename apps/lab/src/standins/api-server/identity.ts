/** Who asks, as authentication found out. */
export interface Identity {
  name: string;
  uid?: string;
  groups: readonly string[];
  extra?: Record<string, string[]>;
}

export const ANONYMOUS: Identity = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export const authenticated = (name: string, groups: readonly string[], uid?: string): Identity => ({
  name,
  groups: [...groups, 'system:authenticated'],
  ...(uid === undefined ? {} : { uid }),
});

/** The name of a node's own identity, or undefined for anybody else. */
export function nodeNameOf(identity: Identity): string | undefined {
  const prefix = 'system:node:';
  return identity.groups.includes('system:nodes') && identity.name.startsWith(prefix)
    ? identity.name.slice(prefix.length)
    : undefined;
}
