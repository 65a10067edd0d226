import { Secret } from '@windlass/foundation';
import { isProxyUrl } from '@windlass/outbound';

/** The URL of an HTTP proxy, which may hold a password. */
export const asProxyUrl = (text: string): Secret | undefined => (isProxyUrl(text) ? new Secret(text) : undefined);
