import { randomUUID } from 'node:crypto';
import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  connectionsOf,
  describedTls,
  vimKindAskedFor,
  vimsDescribedIn,
  type ClusterAccess,
  type VimAccess,
  type VimChoice,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { vimKind, type VimKind } from '@windlass/sol003';
import type { EntityManager } from 'typeorm';
import { VimEntity } from '../entities/vim.entity.js';
import type { Vault } from '../sealing/vault.js';
import { readOnce } from '../transaction.js';
import { findPrepared } from './entity-statements.js';

/** The place that a VIM's credentials are sealed to. */
export const vimCredentialPlace = (vimId: string): string => `vim.vim.auth_cred ${vimId}`;

/**
 * The VIM that a request means: the first connection of the kind that its VNF is for, else the tenant's default, where that is of the kind.
 * @param known VIMs of the project that were read with what the request is about; others are looked for
 * @throws RequestError 400 `vim.unknown`, `vim.none`; `vim.not-registered`, `vim.other-kind` for a cluster that is named wrongly
 */
export async function chooseVim(
  manager: EntityManager,
  tenant: string,
  request: JsonObject,
  known: readonly VimEntity[] = [],
): Promise<VimChoice> {
  const kind = vimKindAskedFor(request);
  const connections = vimsDescribedIn(request);
  const named = connections.find(({ vimType }) => vimKind(vimType) === kind);
  const ofKind = kind === 'kubernetes' ? { kind } : {};
  if (named?.vimId !== undefined) {
    const vim = known.find(({ id }) => id === named.vimId) ?? (await vimOf(manager, tenant, named.vimId));
    const path = `/vimConnectionInfo/${connections.indexOf(named)}/vimId`;
    if (vim === null) throw unknownVim(named.vimId, path);
    if (vim.type !== kind) throw otherKind(vim, kind, path);
    return { vimId: vim.id, connectionId: named.id, ...ofKind };
  }
  if (named !== undefined && kind === 'kubernetes') throw notRegistered(connections.indexOf(named));
  if (named?.accessInfo !== undefined) return { connectionId: named.id };
  const standard =
    known.find(({ isDefault, type }) => isDefault && type === kind) ??
    (await readOnce(manager, `default VIM ${kind} of ${tenant}`, () =>
      findPrepared(manager, VimEntity, 'windlass default VIM', { tenant, isDefault: true, type: kind }),
    ));
  if (standard === null) throw noVim(kind);
  return { vimId: standard.id, connectionId: named?.id ?? standard.id, ...ofKind };
}

function noVim(kind: VimKind): RequestError {
  const [what, reason] =
    kind === 'openstack'
      ? ['no VIM', 'missing, and the project has no default VIM']
      : ['no Kubernetes cluster', 'no entry is of type kubernetes, and the project has no default VIM of that type'];
  const detail = `the request names ${what} and there is no default one: name one in vimConnectionInfo, or register one with is_default`;
  return new RequestError(400, 'vim.none', detail, { invalidParams: [{ path: '/vimConnectionInfo', reason }] });
}

function notRegistered(index: number): RequestError {
  const path = `/vimConnectionInfo/${index}/vimId`;
  const reason = 'missing: a VNF on Kubernetes lies in a registered cluster; register it (POST /v1.0/vims) and give its id';
  return new RequestError(400, 'vim.not-registered', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
}

function otherKind({ name, id, type }: VimEntity, kind: VimKind, path = '/vimConnectionInfo'): RequestError {
  const reason = `VIM ${name} (${id}) is registered as ${type}, and this VNF needs one of type ${kind}: name one of that type`;
  return new RequestError(400, 'vim.other-kind', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
}

const unknownVim = (id: string, path = '/vimConnectionInfo'): RequestError =>
  new RequestError(400, 'vim.unknown', `there is no VIM ${id} in this project: register it, or name another`, {
    invalidParams: [{ path, reason: `no VIM has the id ${id}` }],
  });

const vimOf = (manager: EntityManager, tenant: string, id: string): Promise<VimEntity | null> =>
  readOnce(manager, `VIM ${id} of ${tenant}`, () => findPrepared(manager, VimEntity, 'windlass VIM', { id, tenant }));

const credentialsOf = (vim: VimEntity, vault: Vault): JsonObject =>
  vault.openJson(vim.authCred, vimCredentialPlace(vim.id)) as JsonObject;

/** All that is needed to use the chosen VIM. */
export async function vimAccess(
  manager: EntityManager,
  vault: Vault,
  tenant: string,
  choice: VimChoice,
  instance: VnfInstanceRecord,
  request: JsonObject,
): Promise<VimAccess> {
  if (choice.vimId === undefined) return describedAccess(choice, instance, request);
  return registeredAccess(manager, vault, tenant, choice.vimId, choice.connectionId);
}

/** The access to a registered OpenStack, with its credentials of today. @throws RequestError `vim.unknown`, `vim.other-kind` */
export async function registeredAccess(
  manager: EntityManager,
  vault: Vault,
  tenant: string,
  vimId: string,
  connectionId: string,
): Promise<VimAccess> {
  const vim = await vimOf(manager, tenant, vimId);
  if (vim === null) throw unknownVim(vimId);
  if (vim.type !== 'openstack') throw otherKind(vim, 'openstack');
  return { connectionId, ...openStackAccess(vim, vault) };
}

const openStackAccess = (vim: VimEntity, vault: Vault): Omit<VimAccess, 'connectionId'> =>
  openStackAccessBy(vim, credentialsOf(vim, vault));

/** The first text among these. */
const given = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

type Ids = Pick<VimAccess, 'projectId' | 'userDomainId' | 'projectDomainId'>;

const idsOf = (places: Record<keyof Ids, unknown[]>): Ids =>
  Object.fromEntries(
    Object.entries(places).flatMap(([name, values]) => {
      const id = given(...values);
      return id === undefined ? [] : [[name, id]];
    }),
  );

/** How an OpenStack is logged in to that is registered so. @param credentials its `auth_cred` */
export function openStackAccessBy(
  { authUrl, placementAttr, vimProject }: Pick<VimEntity, 'authUrl' | 'placementAttr' | 'vimProject'>,
  credentials: JsonObject,
): Omit<VimAccess, 'connectionId'> {
  const text = (value: unknown, otherwise: string): string => (typeof value === 'string' && value !== '' ? value : otherwise);
  const { name, project_domain_name: projectDomainName } = vimProject;
  // What it was registered with comes first; without it the first that Keystone has.
  const region = given(credentials.region, credentials.region_name) ?? placementAttr.regions[0];
  return {
    authUrl,
    ...(region === undefined ? {} : { region }),
    ...idsOf({
      projectId: [vimProject.id, vimProject.project_id, credentials.project_id],
      userDomainId: [credentials.user_domain_id],
      projectDomainId: [vimProject.project_domain_id, credentials.project_domain_id],
    }),
    username: text(credentials.username, ''),
    password: text(credentials.password, ''),
    userDomainName: text(credentials.user_domain_name, 'Default'),
    projectName: text(name, ''),
    projectDomainName: text(projectDomainName, 'Default'),
    verifyTls: !['False', 'false', false].includes(credentials.cert_verify as string | boolean),
    ...(typeof credentials.ca_cert === 'string' ? { ca: credentials.ca_cert } : {}),
  };
}

/** The access to a registered cluster, with its credentials of today. @throws RequestError `vim.unknown` */
export async function clusterAccess(
  manager: EntityManager,
  vault: Vault,
  tenant: string,
  { vimId = '', connectionId }: VimChoice,
): Promise<ClusterAccess> {
  const vim = await manager.findOneBy(VimEntity, { id: vimId, tenant, type: 'kubernetes' });
  if (vim === null) throw unknownVim(vimId);
  const { bearer_token: token, ssl_ca_cert: ca } = credentialsOf(vim, vault);
  return {
    connectionId,
    authUrl: vim.authUrl,
    token: typeof token === 'string' ? token : '',
    ...(typeof ca === 'string' && ca !== '' ? { ca } : {}),
  };
}

/** A VIM that only the request describes (SOL003 4.4.1.6): endpoint and credentials in the connection itself. */
function describedAccess(choice: VimChoice, instance: VnfInstanceRecord, request: JsonObject): VimAccess {
  const connections = [...vimsDescribedIn(request), ...connectionsOf(instance)];
  const found = connections.find(({ id }) => id === choice.connectionId);
  const { interfaceInfo = {}, accessInfo = {} } = found ?? {};
  const text = (value: unknown, name: string): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new RequestError(
      400,
      'vim.incomplete',
      `the VIM connection ${choice.connectionId} has no ${name}: give it, or name a registered VIM by vimId`,
    );
  };
  return {
    connectionId: choice.connectionId,
    authUrl: text(interfaceInfo.endpoint ?? accessInfo.authUrl, 'interfaceInfo.endpoint'),
    ...(typeof accessInfo.region === 'string' && accessInfo.region !== '' ? { region: accessInfo.region } : {}),
    ...idsOf({
      projectId: [accessInfo.projectId, accessInfo.project_id],
      userDomainId: [accessInfo.userDomainId, accessInfo.user_domain_id],
      projectDomainId: [accessInfo.projectDomainId, accessInfo.project_domain_id],
    }),
    username: text(accessInfo.username, 'accessInfo.username'),
    password: text(accessInfo.password, 'accessInfo.password'),
    userDomainName: text(accessInfo.userDomain ?? 'Default', 'accessInfo.userDomain'),
    projectName:
      given(accessInfo.projectId, accessInfo.project_id) === undefined
        ? text(accessInfo.project, 'accessInfo.project')
        : (given(accessInfo.project) ?? ''),
    projectDomainName: text(accessInfo.projectDomain ?? 'Default', 'accessInfo.projectDomain'),
    ...describedTls(interfaceInfo),
  };
}

export const newVimId = (): string => randomUUID();
