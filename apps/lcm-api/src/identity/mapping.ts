import { isRole, ROLES, type Role } from '@windlass/service-kit';

/** Names of another system, with our names for them. */
export type Mapping<V extends string = string> = Readonly<Record<string, V>>;

/** Keystone's default roles, and what those who have them may do here. */
export const KEYSTONE_ROLES: Mapping<Role> = { reader: 'reader', member: 'operator', admin: 'admin' };

/** `theirs=ours` separated by commas. */
export function readMapping(text: string): Mapping | undefined {
  const pairs = text.split(',').map((pair) => /^\s*([^=,\s]+)=([^=,\s]+)\s*$/.exec(pair)?.slice(1));
  const names = pairs.map((pair) => pair?.[0]);
  if (pairs.includes(undefined) || new Set(names).size !== names.length) return undefined;
  return Object.fromEntries(pairs as [string, string][]);
}

/** As {@link readMapping}, where ours are roles. */
export function readRoles(text: string): Mapping<Role> | undefined {
  const mapping = readMapping(text);
  return mapping !== undefined && Object.values(mapping).every(isRole) ? (mapping as Mapping<Role>) : undefined;
}

/** Our roles for those of another system. Roles that are not mapped give none. */
export const mappedRoles = (theirs: readonly string[], mapping: Mapping<Role>): Role[] =>
  ROLES.filter((role) => theirs.some((name) => Object.hasOwn(mapping, name) && mapping[name] === role));
