import type { OpenStack } from '../openstack.js';
import type { IssuedToken } from '../session/token-cache.js';
import { SurroundingsApi } from '../neutron/surroundings-api.js';
import type { VimNeeds } from './vim-needs.js';

/** What the checks of one VIM share. Nothing is changed by any of them. */
export interface Look {
  openStack: OpenStack;
  surroundings: SurroundingsApi;
  needs: VimNeeds;
  token: IssuedToken;
  /** The project, for commands. */
  project: string;
}
