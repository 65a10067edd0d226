import type { Project, Token, User } from './state.js';

/** Who asks, of which project, and whether that project is the administrators'. */
export interface Session {
  token: Token;
  user: User;
  project: Project | undefined;
  roles: string[];
  isAdmin: boolean;
}
