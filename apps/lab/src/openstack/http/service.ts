import type { HttpFailure } from './answer.js';
import type { Router } from './router.js';

/** One of the OpenStack services behind a path prefix, with its own manner of refusing. */
export interface Service {
  name: string;
  /** Path prefix without a trailing slash, such as `/compute`. */
  prefix: string;
  router: Router;
  /** Paths under the prefix that need no token (version documents, token requests). */
  isOpen(method: string, path: string): boolean;
  /** Headers that the real service adds to each answer. */
  headers(requestId: string): Record<string, string>;
  /** The content type that it names even where there is no content. */
  emptyType?: string;
  unauthorized(): HttpFailure;
  notFound(): HttpFailure;
  wrongMethod(): HttpFailure;
  badJson(problem: string): HttpFailure;
  /** For faults that are armed by status, and for what went wrong inside. */
  failure(status: number, message: string): HttpFailure;
}
