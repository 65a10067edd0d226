import {
  isJsonObject,
  mergePatch,
  RequestError,
  requireSecretsAnew,
  toJson,
  withoutMasks,
  type Json,
  type JsonObject,
} from '@windlass/foundation';
import {
  maskedAttributes,
  vimKind,
  type VimConnectionInfo,
  type VimConnectionInfoPatch,
  type VnfInfoModificationRequest,
  type VnfInfoModifications,
} from '@windlass/sol003';
import { describedTls } from '../../records/described-tls.js';
import type { DesiredState } from '../../records/desired-state.js';
import type { VimChoice, VnfInstanceRecord } from '../../records/records.js';
import type { PackageRecord } from '../../ports.js';
import { changedProperties, mergedPairs, modifiedProperties } from './properties.js';

/** An instance as a modification makes it, and what that changes. */
export interface Modification {
  instance: VnfInstanceRecord;
  /** The new values (SOL003 5.5.2.12a), secrets masked; undefined where nothing changes. */
  changedInfo: VnfInfoModifications | undefined;
}

const refused = (path: string, code: string, reason: string): RequestError =>
  new RequestError(400, code, `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/**
 * What `PATCH /vnf_instances/{id}` makes of an instance. Pure.
 * @param target the package that `vnfdId` or `vnfPkgId` of the request names, if one does
 * @throws RequestError 400 with the field's path
 */
export function modified(
  instance: VnfInstanceRecord,
  request: VnfInfoModificationRequest,
  target: PackageRecord | undefined,
): Modification {
  const changed: VnfInstanceRecord = {
    ...instance,
    ...given('vnfInstanceName', request.vnfInstanceName),
    ...given('vnfInstanceDescription', request.vnfInstanceDescription),
    ...given('metadata', metadataWith(instance.metadata, request.metadata as Json | undefined)),
    ...(target === undefined ? {} : ofPackage(instance, target)),
    ...(request.vimConnectionInfo === undefined ? {} : withConnections(instance, request.vimConnectionInfo ?? [])),
  };
  const withProperties = modifiedProperties(changed, request);
  return { instance: withProperties, changedInfo: changesBetween(instance, withProperties) };
}

/** A member where a value, null included, was given for it. */
const given = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;

/** RFC 7396; null takes all of it away. */
function metadataWith(before: JsonObject | null, patch: Json | undefined): JsonObject | null | undefined {
  return patch === undefined ? undefined : (mergedPairs(before ?? undefined, patch) ?? null);
}

function ofPackage(instance: VnfInstanceRecord, { id, model }: PackageRecord): Partial<VnfInstanceRecord> {
  const flavourId = instance.instantiated?.info.flavourId;
  if (flavourId !== undefined && !model.flavours.some((flavour) => flavour.id === flavourId)) {
    const known = model.flavours.map((flavour) => `"${flavour.id}"`).join(', ');
    const reason = `its VNFD has no flavour "${flavourId}", which the VNF is instantiated with; it has ${known}`;
    throw refused('/vnfPkgId', 'modify.other-flavours', reason);
  }
  return {
    vnfPkgId: id,
    vnfdId: model.vnfdId,
    vnfProvider: model.provider,
    vnfProductName: model.productName,
    vnfSoftwareVersion: model.softwareVersion,
    vnfdVersion: model.descriptorVersion,
  };
}

/** All connections that an instance has: those it was instantiated with, too. */
export function connectionsOf({ vimConnectionInfo, desired }: VnfInstanceRecord): VimConnectionInfo[] {
  const requested = desired?.vimConnectionInfo ?? [];
  return [...vimConnectionInfo, ...requested.filter(({ id }) => vimConnectionInfo.every((each) => each.id !== id))];
}

/**
 * Each entry is a merge patch (RFC 7396) over the one of its id, as deep as it goes; entries that the request does not name are dropped. Where a client writes
 * back what it was shown, the secrets that it saw masked stay.
 */
function withConnections(
  instance: VnfInstanceRecord,
  patches: readonly VimConnectionInfoPatch[],
): Pick<VnfInstanceRecord, 'vimConnectionInfo' | 'instantiated' | 'desired'> {
  const { instantiated, desired } = instance;
  if (instantiated === null) {
    const reason = 'a VNF instance that is NOT_INSTANTIATED has no VIM connections: give them when instantiating';
    throw refused('/vimConnectionInfo', 'modify.not-instantiated', reason);
  }
  const before = connectionsOf(instance);
  const connections = patches.map((patch, index) =>
    mergedConnection(
      before.find(({ id }) => id === patch.id),
      patch,
      index,
    ),
  );
  return {
    vimConnectionInfo: connections,
    instantiated: { ...instantiated, vim: vimAmong(connections, instantiated.vim) },
    desired: desired === null ? null : withoutConnections(desired),
  };
}

/** The desired state without connections: from now on the instance's own count. */
const withoutConnections = ({ vimConnectionInfo: _moved, ...desired }: DesiredState): DesiredState => desired;

function mergedConnection(
  before: VimConnectionInfo | undefined,
  patch: VimConnectionInfoPatch,
  index: number,
): VimConnectionInfo {
  const was = before as JsonObject | undefined;
  const kept = was ?? {};
  const after = mergePatch(kept, withoutMasks(kept, shownConnection(kept), patch as JsonObject)) as JsonObject;
  if (was !== undefined) {
    const change = { before: accessOf(was), shown: accessOf(shownConnection(was)), patch: patch as JsonObject, after };
    requireSecretsAnew(change, destinationOf, `/vimConnectionInfo/${index}`);
  }
  const { vimType } = after;
  if (typeof vimType === 'string') return { ...after, id: patch.id, vimType };
  const path = `/vimConnectionInfo/${index}/vimType`;
  throw refused(path, 'request.invalid', `is required: the VNF has no connection "${patch.id}" to take it from`);
}

/** The members by which a VIM is logged in to. `extra` is sent to no VIM. */
const accessOf = ({ interfaceInfo = {}, accessInfo = {} }: JsonObject): JsonObject => ({ interfaceInfo, accessInfo });

/** The VIM and login of a connection, read as the VIM's access is. */
function destinationOf({ interfaceInfo, accessInfo }: JsonObject): Json[] {
  const [to, by] = [interfaceInfo, accessInfo].map((pairs) => (isJsonObject(pairs) ? pairs : {})) as [JsonObject, JsonObject];
  const { verifyTls, verifyHostname = true, ca = '' } = describedTls(to);
  return [to.endpoint ?? by.authUrl ?? '', verifyTls, verifyHostname, ca];
}

/** A connection as answers show it, with secrets masked. */
const shownConnection = (connection: JsonObject): JsonObject =>
  maskedAttributes({ vimConnectionInfo: [connection] }).vimConnectionInfo[0] ?? {};

/** Where the resources are: by the connection they were made through, which may name another registered VIM now. */
function vimAmong(connections: readonly VimConnectionInfo[], vim: VimChoice): VimChoice {
  const used = connections.find(({ id }) => id === vim.connectionId);
  if (used !== undefined && (vimKind(used.vimType) === 'kubernetes') !== (vim.kind === 'kubernetes')) {
    const path = `/vimConnectionInfo/${connections.indexOf(used)}/vimType`;
    throw refused(
      path,
      'vim.other-kind',
      `the VNF's resources lie in ${isOn(vim)}: a connection of that type is needed to reach them`,
    );
  }
  if (used?.vimId !== undefined) return { ...vim, vimId: used.vimId, connectionId: used.id };
  if (used !== undefined || vim.vimId !== undefined) return vim;
  const reason = `would drop the connection "${vim.connectionId}", through which the VNF's resources were made: name it too`;
  throw refused('/vimConnectionInfo', 'modify.vim-in-use', reason);
}

const isOn = ({ kind }: VimChoice): string => (kind === 'kubernetes' ? 'a Kubernetes cluster' : 'an OpenStack');

const SHOWN = [
  'vnfInstanceName',
  'vnfInstanceDescription',
  'metadata',
  'vimConnectionInfo',
  'vnfPkgId',
  'vnfdId',
  'vnfProvider',
  'vnfProductName',
  'vnfSoftwareVersion',
  'vnfdVersion',
] as const satisfies (keyof VnfInstanceRecord & keyof VnfInfoModifications)[];

function changesBetween(before: VnfInstanceRecord, after: VnfInstanceRecord): VnfInfoModifications | undefined {
  const changes = SHOWN.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const properties = changedProperties(before, after);
  if (changes.length === 0 && Object.keys(properties).length === 0) return undefined;
  const own = Object.fromEntries(changes.map((name) => [name, toJson(after[name])]));
  return maskedAttributes({ ...own, ...properties }) as VnfInfoModifications;
}
