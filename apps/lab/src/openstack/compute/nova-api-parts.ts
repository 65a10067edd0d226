import { sessionOf, type Answer, type Call } from '../http/answer.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import type { CloudState } from '../state/state.js';
import type { Nova } from './nova.js';

export interface NovaApiParts {
  state: CloudState;
  nova: Nova;
  hosts: readonly string[];
  /** Ordinary users see the compute host's name. */
  showHost: boolean;
}

/** Routes under `/v2.1`, whose answers carry the microversion. */
export interface VersionedRouter {
  on(method: string, pattern: string, handler: (call: Call) => Answer | Promise<Answer>): void;
}

/** The project of the token; Nova refuses tokens without one. */
export function projectOf(call: Call): string {
  const project = sessionOf(call).project;
  if (project === undefined) throw middlewareUnauthorized();
  return project.id;
}
