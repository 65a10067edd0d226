import { RequestError } from '@windlass/foundation';
import type { VimRegistry } from '../vim/vim-actions.js';

type Vim = Parameters<VimRegistry['register']>[1];

/** A registry in memory, by the rules of apps/vim-registry: the same id is the same VIM, a name is taken once. */
export class FakeVims implements VimRegistry {
  readonly vims = new Map<string, Vim>();
  readonly usersOf = new Map<string, string[]>();
  /** Registrations that the cluster does not answer to. */
  unreachable = 0;

  register(_tenant: string, vim: Vim): Promise<Vim> {
    if (this.unreachable-- > 0) return Promise.reject(new RequestError(400, 'vim.unreachable', 'its API does not answer'));
    const there = this.vims.get(vim.id);
    if (there !== undefined) return Promise.resolve(there);
    if ([...this.vims.values()].some(({ name }) => name === vim.name))
      return Promise.reject(new RequestError(409, 'vim.name-taken', vim.name));
    this.vims.set(vim.id, vim);
    return Promise.resolve(vim);
  }

  show(_tenant: string, id: string): Promise<Vim> {
    const vim = this.vims.get(id);
    return vim === undefined ? Promise.reject(new RequestError(404, 'vim.unknown', id)) : Promise.resolve(vim);
  }

  list({ name }: { name: string }): Promise<Vim[]> {
    return Promise.resolve([...this.vims.values()].filter((vim) => vim.name === name));
  }

  delete(_tenant: string, id: string): Promise<void> {
    if (!this.vims.has(id)) return Promise.reject(new RequestError(404, 'vim.unknown', id));
    const [user] = this.usersOf.get(id) ?? [];
    if (user !== undefined) return Promise.reject(new RequestError(409, 'vim.in-use', user));
    this.vims.delete(id);
    return Promise.resolve();
  }

  users(_tenant: string, id: string): Promise<string[]> {
    return Promise.resolve(this.usersOf.get(id) ?? []);
  }
}
