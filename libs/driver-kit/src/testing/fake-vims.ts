import { RequestError } from '@windlass/foundation';
import { clusterVimId } from '@windlass/mgmt-driver';
import type { ClaimOf, VimRegistry } from '../vim-registry.js';

type Cluster = Parameters<VimRegistry['register']>[1];
type Vim = Cluster & { id: string; type: 'kubernetes' };

/** A registry in memory, by the rules of apps/vim-registry: an instance has one cluster, a name is taken once. */
export class FakeVims implements VimRegistry {
  readonly vims = new Map<string, Vim>();
  readonly usersOf = new Map<string, string[]>();
  /** Registrations that the cluster does not answer to. */
  unreachable = 0;

  /** @param instanceOf the VNF instance of a claim's operation: the registry has it from the journal */
  constructor(private readonly instanceOf: (operationId: string) => string) {}

  register(claim: ClaimOf, cluster: Cluster): Promise<Vim> {
    if (this.unreachable-- > 0) return Promise.reject(new RequestError(400, 'vim.unreachable', 'its API does not answer'));
    const id = this.#idOf(claim);
    const there = this.vims.get(id);
    if (there !== undefined) return Promise.resolve(there);
    if ([...this.vims.values()].some(({ name }) => name === cluster.name))
      return Promise.reject(new RequestError(409, 'vim.name-taken', cluster.name));
    const vim = { ...cluster, id, type: 'kubernetes' } as const;
    this.vims.set(id, vim);
    return Promise.resolve(vim);
  }

  show(claim: ClaimOf): Promise<{ vim?: Vim; vnfInstanceIds: string[] }> {
    const id = this.#idOf(claim);
    const vim = this.vims.get(id);
    return Promise.resolve({ ...(vim === undefined ? {} : { vim }), vnfInstanceIds: this.usersOf.get(id) ?? [] });
  }

  remove(claim: ClaimOf): Promise<void> {
    const id = this.#idOf(claim);
    const [user] = this.usersOf.get(id) ?? [];
    if (user !== undefined) return Promise.reject(new RequestError(409, 'vim.in-use', user));
    this.vims.delete(id);
    return Promise.resolve();
  }

  #idOf({ operationId }: ClaimOf): string {
    return clusterVimId(this.instanceOf(operationId));
  }
}
