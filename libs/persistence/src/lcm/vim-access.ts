import { randomUUID } from 'node:crypto';
import { RequestError, type JsonObject } from '@windlass/foundation';
import {
  connectionsOf,
  describedTls,
  vimsDescribedIn,
  type VimAccess,
  type VimChoice,
  type VnfInstanceRecord,
} from '@windlass/lifecycle';
import { vimKind } from '@windlass/sol003';
import type { EntityManager } from 'typeorm';
import { VimEntity } from '../entities/vim.entity.js';
import type { Vault } from '../sealing/vault.js';

/** The place that a VIM's credentials are sealed to. */
export const vimCredentialPlace = (vimId: string): string => `vim.vim.auth_cred ${vimId}`;

/** The VIM that a request means: the first OpenStack connection it names or describes, else the tenant's default. */
export async function chooseVim(manager: EntityManager, tenant: string, request: JsonObject): Promise<VimChoice> {
  const connections = vimsDescribedIn(request);
  const named = connections.find(({ vimType }) => vimKind(vimType) === 'openstack');
  if (named?.vimId !== undefined) {
    const vim = await manager.findOneBy(VimEntity, { id: named.vimId, tenant });
    if (vim === null) throw unknownVim(named.vimId);
    return { vimId: vim.id, connectionId: named.id };
  }
  if (named?.accessInfo !== undefined) return { connectionId: named.id };
  const standard = await manager.findOneBy(VimEntity, { tenant, isDefault: true, type: 'openstack' });
  if (standard === null) {
    throw new RequestError(
      400,
      'vim.none',
      'the request names no VIM and there is no default one: name one in vimConnectionInfo, or register one with is_default',
      {
        invalidParams: [{ path: '/vimConnectionInfo', reason: 'missing, and the project has no default VIM' }],
      },
    );
  }
  return { vimId: standard.id, connectionId: named?.id ?? standard.id };
}

const unknownVim = (id: string): RequestError =>
  new RequestError(400, 'vim.unknown', `there is no VIM ${id} in this project: register it, or name another`, {
    invalidParams: [{ path: '/vimConnectionInfo/0/vimId', reason: `no VIM has the id ${id}` }],
  });

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

/** The access to a registered VIM, with its credentials of today. @throws RequestError `vim.unknown` */
export async function registeredAccess(
  manager: EntityManager,
  vault: Vault,
  tenant: string,
  vimId: string,
  connectionId: string,
): Promise<VimAccess> {
  const vim = await manager.findOneBy(VimEntity, { id: vimId, tenant });
  if (vim === null) throw unknownVim(vimId);
  const credentials = vault.openJson(vim.authCred, vimCredentialPlace(vim.id)) as JsonObject;
  const text = (value: unknown, otherwise: string): string => (typeof value === 'string' && value !== '' ? value : otherwise);
  return {
    connectionId,
    authUrl: vim.authUrl,
    ...(vim.placementAttr.regions[0] === undefined ? {} : { region: vim.placementAttr.regions[0] }),
    username: text(credentials.username, ''),
    password: text(credentials.password, ''),
    userDomainName: text(credentials.user_domain_name, 'Default'),
    projectName: text(vim.vimProject.name, ''),
    projectDomainName: text(vim.vimProject.project_domain_name, 'Default'),
    verifyTls: !['False', 'false', false].includes(credentials.cert_verify as string | boolean),
    ...(typeof credentials.ca_cert === 'string' ? { ca: credentials.ca_cert } : {}),
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
    ...(typeof accessInfo.region === 'string' ? { region: accessInfo.region } : {}),
    username: text(accessInfo.username, 'accessInfo.username'),
    password: text(accessInfo.password, 'accessInfo.password'),
    userDomainName: text(accessInfo.userDomain ?? 'Default', 'accessInfo.userDomain'),
    projectName: text(accessInfo.project, 'accessInfo.project'),
    projectDomainName: text(accessInfo.projectDomain ?? 'Default', 'accessInfo.projectDomain'),
    ...describedTls(interfaceInfo),
  };
}

export const newVimId = (): string => randomUUID();
