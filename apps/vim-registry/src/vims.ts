import {
  isJsonObject,
  masked,
  millis,
  minutes,
  RequestError,
  requireSecretsAnew,
  seconds,
  waitUntil,
  withoutMasks,
  type JsonObject,
  type SecretPlaces,
} from '@windlass/foundation';
import { vimWarning, type MessagingLog, type VimRegistration, type VimView } from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { accessSecrets, extraSecrets } from '@windlass/sol003';
import {
  extraColumns,
  extraOf,
  lockVimNames,
  reservedVimNames,
  rowsOf,
  VimEntity,
  vimCredentialPlace,
  vimUsers,
  type PgAuditTrail,
  type RequestEntry,
  type Vault,
} from '@windlass/persistence';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';
import type { CredentialChecks } from './credential-checks.js';

/** How often a change is tried again because another change came first. Each time one of them is done, so this is enough. */
const MOST_TRIES = 20;

/** How long a deletion waits for what is just being removed from the VIM: shorter than lcm-api waits before it asks again. */
const ENDS_WITHIN = seconds(2);

/** A VIM that is written, and the name that it will have. */
interface NamedVim {
  tenant: string;
  id: string;
  name: string;
}

/** The author of a change, for the audit trail's entry. */
export type Author = Omit<RequestEntry, 'tenant' | 'code'>;

/**
 * VIMs of a project: credentials are tried before they are kept, and sealed when they are. Each change is written to the audit trail in its
 * own transaction.
 */
export class Vims {
  constructor(
    private readonly database: DataSource,
    private readonly vault: Vault,
    private readonly checks: CredentialChecks,
    private readonly trail: PgAuditTrail,
    private readonly log: MessagingLog,
  ) {}

  /** @throws RequestError 400 for wrong fields or refused credentials, 409 for a name or a default that is taken */
  async register(tenant: string, registration: VimRegistration, author: Author): Promise<VimView> {
    const fields = checkedRegistration(registration);
    if (fields.id !== undefined) {
      const there = await this.database.manager.findOneBy(VimEntity, { id: fields.id, tenant });
      if (there !== null) {
        await this.#note(this.database.manager, tenant, author);
        return this.#view(there);
      }
    }
    const regions = await this.checks.check(fields, 'registered');
    const id = fields.id ?? randomUUID();
    const warning = vimWarning(fields.auth_url);
    const entity = Object.assign(new VimEntity(), {
      id,
      tenant,
      name: fields.name,
      description: fields.description ?? '',
      type: fields.type,
      authUrl: fields.auth_url,
      vimProject: fields.vim_project ?? {},
      authCred: this.vault.sealJson(fields.auth_cred, vimCredentialPlace(id)),
      placementAttr: { regions },
      isDefault: fields.is_default ?? false,
      status: 'ACTIVE',
      ...extraColumns(fields.extra ?? {}, id, this.vault),
      createdAt: new Date(),
      updatedAt: null,
    });
    await this.#write({ tenant, id, name: fields.name }, async (manager) => {
      await manager.insert(VimEntity, entity as never);
      await this.#note(manager, tenant, author, warning);
    });
    if (warning !== undefined) this.log.warn('a VIM was registered that is not safe to talk to', { vim: fields.name, warning });
    return this.#view(entity);
  }

  async list(tenant: string, filter: { id?: string; name?: string }): Promise<VimView[]> {
    if (filter.id !== undefined && !isUuid(filter.id)) return [];
    const rows = await this.database.manager.find(VimEntity, { where: { tenant, ...filter }, order: { createdAt: 'ASC' } });
    return rows.map((row) => this.#view(row));
  }

  async show(tenant: string, id: string): Promise<VimView> {
    return this.#view(await this.#find(tenant, id));
  }

  /**
   * Changes a VIM. New credentials are tried before they are kept; refused ones leave the VIM as it was. A VIM in use may be changed, because
   * passwords change. No change is lost: where another change came first while the VIM was asked, this one is applied to that and tried again.
   * @throws RequestError 404; 400 for an attribute that can't change, wrong fields or refused credentials; 409 for a name or a default that is taken,
   *   and where others change the VIM all the time
   */
  async update(tenant: string, id: string, change: JsonObject, author: Author): Promise<VimView> {
    for (let tries = 0; tries < MOST_TRIES; tries++)
      if (await this.#changed(tenant, id, change, author)) return this.show(tenant, id);
    throw new RequestError(409, 'vim.busy', `others change VIM ${id} all the time: try again`);
  }

  /** Whether the change was written: false where another change came first. No lock is held while the VIM is asked. */
  async #changed(tenant: string, id: string, change: JsonObject, author: Author): Promise<boolean> {
    const row = await this.#find(tenant, id);
    assertFixed(row, change);
    const before = this.vault.openJson(row.authCred, vimCredentialPlace(id)) as JsonObject;
    const merged: VimRegistration = {
      name: row.name,
      description: row.description,
      type: row.type,
      auth_url: row.authUrl,
      vim_project: row.vimProject,
      is_default: row.isDefault,
      ...(change as Partial<VimRegistration>),
      extra: kept(extraOf(row, this.vault), change.extra, extraSecrets) as JsonObject,
      auth_cred: {
        ...before,
        ...(isJsonObject(change.auth_cred) ? (kept(before, change.auth_cred, accessSecrets) as JsonObject) : {}),
      },
    };
    const fields = checkedRegistration(merged);
    const vim = (credentials: JsonObject): JsonObject => ({ auth_url: row.authUrl, auth_cred: credentials });
    const shown = vim(masked(before, accessSecrets));
    requireSecretsAnew({ before: vim(before), shown, patch: change, after: vim(fields.auth_cred) }, destinationOf, '/vim');
    const regions = await this.checks.check(fields, 'changed');
    const changed = {
      name: fields.name,
      description: fields.description ?? '',
      vimProject: fields.vim_project ?? {},
      authCred: this.vault.sealJson(fields.auth_cred, vimCredentialPlace(id)),
      placementAttr: { regions },
      isDefault: fields.is_default ?? false,
      ...extraColumns(fields.extra ?? {}, id, this.vault),
      updatedAt: new Date(),
    };
    return this.#write({ tenant, id, name: fields.name }, async (manager) => {
      await rowsOf(manager, 'SELECT id FROM vim.vim WHERE id = $1 FOR UPDATE', [id]);
      if (!isDeepStrictEqual(await this.#find(tenant, id, manager), row)) return false;
      await manager.update(VimEntity, { id, tenant }, changed as never);
      await this.#note(manager, tenant, author);
      return true;
    });
  }

  /**
   * An image that the last VNF of the VIM has shared goes a moment after that VNF's termination: who deletes one after the other need not wait in between.
   * @throws RequestError 404, 409 while something uses it
   */
  async delete(tenant: string, id: string, author: Author): Promise<void> {
    await this.#find(tenant, id);
    await this.#removalsBegun(id);
    await this.database.transaction(async (manager) => {
      const row = await this.#find(tenant, id, manager);
      await rowsOf(manager, 'SELECT id FROM vim.vim WHERE id = $1 FOR UPDATE', [id]);
      const [user] = await vimUsers(manager, tenant, id);
      if (user !== undefined)
        throw new RequestError(409, 'vim.in-use', `VIM ${row.name} is used by VNF instance ${user}: terminate it first`);
      if (await this.#isCleanedUp(id, manager)) {
        throw new RequestError(
          409,
          'vim.in-use',
          `something is still to be removed from VIM ${row.name}: wait for the clean-up ("windlass vnf audit" shows it)`,
        );
      }
      await manager.delete(VimEntity, { id, tenant });
      await this.#note(manager, tenant, author);
    });
  }

  /** Waits for clean-ups and refreshes of the VIM that have begun and not failed yet, for {@link ENDS_WITHIN} at most. */
  async #removalsBegun(id: string): Promise<void> {
    const until = performance.now() + ENDS_WITHIN;
    await waitUntil(
      async () => {
        const begun = await rowsOf(
          this.database.manager,
          "SELECT FROM lcm.internal_operation WHERE vim_id = $1 AND state = 'PENDING' AND attempts = 0 LIMIT 1",
          [id],
        );
        return begun.length === 0 || performance.now() >= until || undefined;
      },
      { for: 'what is just being removed', within: minutes(1), every: millis(100) },
    );
  }

  /** Whether a clean-up or refresh of the VIM has not ended. An audit does not keep a VIM from being deleted. */
  async #isCleanedUp(id: string, manager: EntityManager): Promise<boolean> {
    const rows = await rowsOf(manager, `SELECT FROM lcm.internal_operation WHERE vim_id = $1 AND state = 'PENDING' LIMIT 1`, [
      id,
    ]);
    return rows.length > 0;
  }

  async #find(tenant: string, id: string, manager: EntityManager = this.database.manager): Promise<VimEntity> {
    const row = isUuid(id) ? await manager.findOneBy(VimEntity, { id, tenant }) : null;
    if (row === null) throw new RequestError(404, 'vim.unknown', `there is no VIM ${id}`);
    return row;
  }

  /** Writes the audit trail's entry together with the change. */
  #note(manager: EntityManager, tenant: string, author: Author, warning?: string): Promise<void> {
    const detail = warning === undefined ? author.detail : { ...author.detail, warning };
    return this.trail.add({ ...author, detail, code: null, tenant }, manager);
  }

  /** @throws RequestError 409 for a name that is taken or reserved for another's cluster, and for a default that is taken */
  async #write<T>({ tenant, id, name }: NamedVim, write: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(async (manager) => {
        await lockVimNames(manager, tenant, [name]);
        const reserved = await reservedVimNames(manager, tenant, [name]);
        const other = reserved.find(({ vnfInstanceId }) => clusterVimId(vnfInstanceId) !== id);
        if (other !== undefined)
          throw new RequestError(
            409,
            'vim.name-reserved',
            `VNF instance ${other.vnfInstanceId} is becoming a cluster named ${name}: choose another name, or wait until its operation has ended`,
          );
        return await write(manager);
      });
    } catch (error) {
      const { code, constraint } =
        error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : {};
      if (code !== '23505') throw error;
      if (constraint === 'vim_default')
        throw new RequestError(
          409,
          'vim.default-taken',
          'the project has a default VIM already: set that one’s is_default to false first',
        );
      throw new RequestError(409, 'vim.name-taken', `the project has a VIM named ${name} already: choose another name`);
    }
  }

  #view(row: VimEntity): VimView {
    const credentials = this.vault.openJson(row.authCred, vimCredentialPlace(row.id)) as JsonObject;
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      type: row.type,
      tenant_id: row.tenant,
      auth_url: row.authUrl,
      auth_cred: masked(credentials, accessSecrets),
      vim_project: masked(row.vimProject),
      placement_attr: row.placementAttr,
      is_default: row.isDefault,
      status: row.status,
      extra: masked(extraOf(row, this.vault), extraSecrets),
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt?.toISOString() ?? null,
    };
  }
}

/** The object after a change. Members that the change does not name stay, and so do values that it repeats masked, as they were shown. */
const kept = (before: JsonObject, change: JsonObject[string] | undefined, secrets: SecretPlaces): JsonObject[string] =>
  change === undefined ? before : withoutMasks(before, masked(before, secrets), change);

const isUuid = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

const wrong = (path: string, reason: string): RequestError =>
  new RequestError(400, 'vim.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });

/** Checks attributes that can't change. They may be repeated, as the command line does. @throws RequestError 400 */
function assertFixed(row: VimEntity, change: JsonObject): void {
  const fixed = { id: row.id, tenant_id: row.tenant, type: row.type, auth_url: row.authUrl };
  for (const [name, value] of Object.entries(fixed)) {
    if (change[name] !== undefined && change[name] !== value)
      throw wrong(`/vim/${name}`, `a VIM's ${name} can't change: register another VIM`);
  }
}

/**
 * The members that decide where the VIM's credentials go. The address can't change; what makes its certificate trusted can, and where an identity
 * provider gives tokens.
 */
function destinationOf({ auth_url: url = '', auth_cred: given }: JsonObject): JsonObject[string][] {
  const {
    cert_verify: verify = true,
    ca_cert: ca,
    ssl_ca_cert: clusterCa,
    oidc_token_url: issuer,
  } = isJsonObject(given) ? given : {};
  const isVerified = verify !== false && !(typeof verify === 'string' && verify.toLowerCase() === 'false');
  return [url, isVerified, ca ?? '', clusterCa ?? '', issuer ?? ''];
}

/** @throws RequestError 400 for what is neither yes nor no */
function flagOf(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  const text = typeof value === 'boolean' || typeof value === 'string' ? String(value).toLowerCase() : '';
  if (text !== 'true' && text !== 'false') throw wrong('/vim/is_default', 'expected true or false');
  return text === 'true';
}

/** The fields of a registration, each of its type. `"True"` and `true` are the same: the command line sends either. */
function checkedRegistration(registration: VimRegistration): VimRegistration {
  const { name, type, auth_url: url, auth_cred: credentials, description }: Record<string, unknown> = { ...registration };
  if (description !== undefined && (typeof description !== 'string' || description.length > 1_024))
    throw wrong('/vim/description', 'expected a text of at most 1024 characters');
  if (typeof name !== 'string' || name === '' || name.length > 255)
    throw wrong('/vim/name', 'expected a text of 1 to 255 characters');
  if (type !== 'openstack' && type !== 'kubernetes') throw wrong('/vim/type', 'expected openstack or kubernetes');
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw wrong('/vim/auth_url', 'expected an http or https URL');
  if (new URL(url).username !== '')
    throw wrong('/vim/auth_url', 'expected no user in the URL: credentials belong into auth_cred');
  if (!isJsonObject(credentials)) throw wrong('/vim/auth_cred', 'expected an object');
  for (const member of ['vim_project', 'extra'] as const) {
    if (registration[member] !== undefined && !isJsonObject(registration[member]))
      throw wrong(`/vim/${member}`, 'expected an object');
  }
  return {
    ...registration,
    is_default: flagOf(registration.is_default),
  };
}
