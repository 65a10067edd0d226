import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { SHOWN_ACCESS, type VimConnectionInfo } from '@windlass/sol003';
import { isDeepStrictEqual } from 'node:util';

/** What a project's registry says of one of its VIMs. It holds no secret. */
export interface RegisteredVim {
  /** What Windlass logs in with, by the names that a connection's `accessInfo` may have for it. */
  accessInfo: JsonObject;
  /** Where it logs in, by the names of SOL003's `interfaceInfo` (4.4.1.6.2). */
  interfaceInfo: JsonObject;
  /** Members of its `extra` that are no secrets. */
  extra: JsonObject;
  /** Names of those that are. */
  secretExtra: string[];
}

/** A member of a connection that differs from what is registered, or is a secret, and why it is refused. */
export interface OtherThanRegistered {
  /** Below the connection: `accessInfo/region`. */
  member: string;
  reason: string;
}

const isShown = (name: string): boolean => (SHOWN_ACCESS as readonly string[]).includes(name);

/**
 * The first member of a connection that differs from its registered VIM: what is registered is what is used. Secrets are refused without a
 * comparison, because the answer would help somebody who guesses. Members of `extra` that the registration does not have are the VNF's own.
 * @param known the instance's own connection of that id: unchanged members are not the request's words
 */
export function otherThanRegistered(
  connection: VimConnectionInfo,
  registered: RegisteredVim,
  known: VimConnectionInfo | undefined,
): OtherThanRegistered | undefined {
  const vim = `VIM ${connection.vimId ?? ''}`;
  const differs = `differs from what ${vim} is registered with, which is what is used: leave it out, give what GET /v1.0/vims/${connection.vimId ?? ''} shows, or name no vimId and describe the VIM in full`;
  const ofItsOwn = `is registered with ${vim}, and that is what is used: leave it out, change it there (PUT /v1.0/vims/${connection.vimId ?? ''}), or name no vimId and describe the VIM in full`;
  const said = (part: 'accessInfo' | 'interfaceInfo' | 'extra') => newMembers(connection[part], known?.[part]);
  for (const [name, value] of said('accessInfo')) {
    const member = `accessInfo/${name}`;
    if (!isShown(name)) return { member, reason: ofItsOwn };
    if (!agrees(value, memberOf(registered.accessInfo, name))) return { member, reason: differs };
  }
  for (const [name, value] of said('interfaceInfo'))
    if (!agrees(value, memberOf(registered.interfaceInfo, name))) return { member: `interfaceInfo/${name}`, reason: differs };
  for (const [name, value] of said('extra')) {
    const member = `extra/${name}`;
    if (registered.secretExtra.includes(name)) return { member, reason: ofItsOwn };
    if (Object.hasOwn(registered.extra, name) && !agrees(value, registered.extra[name])) return { member, reason: differs };
  }
  return undefined;
}

/** Whether a connection says anything of its VIM that the instance's own connection does not say already. */
export const saysMore = (connection: VimConnectionInfo, known: VimConnectionInfo | undefined): boolean =>
  (['accessInfo', 'interfaceInfo', 'extra'] as const).some((part) => newMembers(connection[part], known?.[part]).length > 0);

/** What is missing in the description of an unregistered VIM; undefined for a complete description, or none. */
export function lackingIn({ interfaceInfo, accessInfo }: VimConnectionInfo): OtherThanRegistered | undefined {
  if (interfaceInfo === undefined && accessInfo === undefined) return undefined;
  const [at, by] = [interfaceInfo ?? {}, accessInfo ?? {}];
  const needed = {
    'interfaceInfo/endpoint': at.endpoint ?? by.authUrl,
    'accessInfo/username': by.username,
    'accessInfo/password': by.password,
    'accessInfo/project': by.project ?? by.projectId ?? by.project_id,
  };
  const [member] = Object.entries(needed).find(([, value]) => typeof value !== 'string' || value === '') ?? [];
  const id = ['projectId', 'project_id'].find((name) => by[name] !== undefined);
  if (id !== undefined && by.project !== undefined)
    return { member: `accessInfo/${id}`, reason: 'is given beside project: give the name with its domain, or the id alone' };
  if (member === undefined) return undefined;
  const reason = 'is missing: a VIM that no vimId names is described in full; give it, or name a registered VIM by vimId';
  return { member, reason };
}

const memberOf = (members: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** The members of a part that differ from those that the instance has. */
const newMembers = (part: JsonObject | undefined, known: JsonObject | undefined): [string, Json][] =>
  Object.entries(part ?? {}).filter(([name, value]) => known === undefined || !isDeepStrictEqual(memberOf(known, name), value));

function agrees(said: Json, registered: Json | undefined): boolean {
  if (registered === undefined || isJsonObject(said)) return isDeepStrictEqual(said, registered);
  return plain(said) === plain(registered);
}

/** `"True"` and `true` say the same, and so do URLs with and without a slash at their end. */
function plain(value: Json): string {
  if (typeof value === 'boolean' || value === 'True' || value === 'False') return String(value).toLowerCase();
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!URL.canParse(value) || !value.startsWith('http')) return value;
  const { href } = new URL(value);
  return href.endsWith('/') ? href.slice(0, -1) : href;
}
