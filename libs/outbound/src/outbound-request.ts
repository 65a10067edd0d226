import type { Readable } from 'node:stream';
import type { Duration, Secret } from '@windlass/foundation';
import type { ClientCredentials } from './tokens.js';

/** How to say who we are. A TLS client certificate of the deployment is shown to whoever asks for one, beside either. */
export type OutboundAuth =
  | { readonly kind: 'basic'; readonly userName: string; readonly password: Secret }
  | ({ readonly kind: 'oauth2' } & ClientCredentials);

/** One request. */
export interface OutboundRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** http or https, without user part. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly auth?: OutboundAuth | undefined;
  /** The whole exchange; the client's limit by default. */
  readonly within?: Duration;
  readonly signal?: AbortSignal | undefined;
}

/** What came back, whatever its status. */
export interface OutboundAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An answer whose body is still to come. */
export interface OpenAnswer extends Omit<OutboundAnswer, 'text'> {
  readonly body: Readable;
}
