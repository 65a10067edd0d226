import { seconds, type JsonObject } from '@windlass/foundation';
import type { RequestClient } from '../request/request-client.js';
import { publicKey } from '../sealing/key-pair.js';
import { seal, type SealedBox } from '../sealing/sealed-box.js';
import {
  deleteVimContract,
  listVimsContract,
  registerVimContract,
  showVimContract,
  updateVimContract,
  vimAad,
  vimKeyContract,
  vimUsersContract,
  type TrailedRequest,
  type VimListRequest,
  type VimRegistration,
  type VimView,
} from './vim-contracts.js';

/** Trying a VIM's credentials takes a few round trips to it. */
const CHECK_WITHIN = seconds(30);

/** The VIM registry as other services reach it. What holds credentials is sealed to its key. */
export class VimClient {
  #key: string | undefined;

  constructor(private readonly client: RequestClient) {}

  /** @param request the REST request that asked for it, where there is one: the registry keeps it in the audit trail with the change */
  async register(tenant: string, registration: VimRegistration, request?: TrailedRequest): Promise<VimView> {
    const sealed = await this.#seal(registration, vimAad('register', tenant));
    return this.client.request(registerVimContract, { tenant, sealed, ...trailed(request) }, { within: CHECK_WITHIN });
  }

  /** @param request as of {@link register} */
  async update(tenant: string, id: string, change: JsonObject, request?: TrailedRequest): Promise<VimView> {
    const sealed = await this.#seal(change, vimAad('update', tenant, id));
    return this.client.request(updateVimContract, { tenant, id, sealed, ...trailed(request) }, { within: CHECK_WITHIN });
  }

  async list(request: VimListRequest): Promise<VimView[]> {
    return (await this.client.request(listVimsContract, request)).vims;
  }

  show(tenant: string, id: string): Promise<VimView> {
    return this.client.request(showVimContract, { tenant, id });
  }

  /** @param request as of {@link register} */
  async delete(tenant: string, id: string, request?: TrailedRequest): Promise<void> {
    await this.client.request(deleteVimContract, { tenant, id, ...trailed(request) });
  }

  async users(tenant: string, id: string): Promise<string[]> {
    return (await this.client.request(vimUsersContract, { tenant, id })).vnfInstanceIds;
  }

  async #seal(value: object, additionalData: string): Promise<SealedBox> {
    this.#key ??= (await this.client.request(vimKeyContract, {})).publicKey;
    return seal(publicKey(this.#key), Buffer.from(JSON.stringify(value)), additionalData);
  }
}

const trailed = (request: TrailedRequest | undefined): { request?: TrailedRequest } => (request === undefined ? {} : { request });
