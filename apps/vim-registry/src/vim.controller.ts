import { Controller } from '@nestjs/common';
import type { JsonObject } from '@windlass/foundation';
import {
  CoreKeys,
  deleteVimContract,
  hostKeyContract,
  listVimsContract,
  registerVimContract,
  Serves,
  showVimContract,
  updateVimContract,
  vimAad,
  vimKeyContract,
  vimUsersContract,
  type HostKeyRequest,
  type SealedVimRequest,
  type TrailedRequest,
  type VimListRequest,
  type VimRegistration,
  type VimRequest,
  type VimView,
} from '@windlass/messaging';
import { HostKeys } from './host-keys.js';
import { Vims } from './vims.js';

/** `windlass.vim.<verb>`. */
@Controller()
export class VimController {
  constructor(
    private readonly vims: Vims,
    private readonly keys: CoreKeys,
    private readonly hostKeys: HostKeys,
  ) {}

  @Serves(vimKeyContract)
  key(): { publicKey: string } {
    return { publicKey: this.keys.publicX };
  }

  @Serves(registerVimContract)
  register({ tenant, sealed, request }: SealedVimRequest): Promise<VimView> {
    return this.vims.register(
      tenant,
      JSON.parse(this.keys.open(sealed, vimAad('register', tenant)).toString('utf8')) as VimRegistration,
      request,
    );
  }

  @Serves(updateVimContract)
  update({ tenant, id, sealed, request }: SealedVimRequest & { id: string }): Promise<VimView> {
    return this.vims.update(
      tenant,
      id,
      JSON.parse(this.keys.open(sealed, vimAad('update', tenant, id)).toString('utf8')) as JsonObject,
      request,
    );
  }

  @Serves(listVimsContract)
  async list({ tenant, ...filter }: VimListRequest): Promise<{ vims: VimView[] }> {
    return { vims: await this.vims.list(tenant, filter) };
  }

  @Serves(showVimContract)
  show({ tenant, id }: VimRequest): Promise<VimView> {
    return this.vims.show(tenant, id);
  }

  @Serves(deleteVimContract)
  async delete({ tenant, id, request }: VimRequest & { request?: TrailedRequest }): Promise<Record<string, never>> {
    await this.vims.delete(tenant, id, request);
    return {};
  }

  @Serves(hostKeyContract)
  async hostKey({ resourceId, key }: HostKeyRequest): Promise<{ key?: string }> {
    const pinned = key === undefined ? await this.hostKeys.find(resourceId) : await this.hostKeys.pin(resourceId, key);
    return pinned === undefined ? {} : { key: pinned };
  }

  @Serves(vimUsersContract)
  async users({ tenant, id }: VimRequest): Promise<{ vnfInstanceIds: string[] }> {
    return { vnfInstanceIds: await this.vims.users(tenant, id) };
  }
}
