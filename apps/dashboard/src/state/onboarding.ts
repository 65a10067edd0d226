import { messageOf, pathOf, Refused, type ApiClient } from '../api/client.js';
import type { Package } from '../api/types.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';

/** How far the upload of a package is. */
export type Onboarding =
  | { is: 'sending'; sent: number; of: number }
  | { is: 'read' }
  /** Onboarded, or refused with what stands in its way. */
  | { is: 'said'; shown: Package };

/** Milliseconds between two looks at what comes of a package. */
const EACH = 5_000;
/** Before the first look: small packages are read by then. */
const FIRST = 1_000;

/**
 * Makes a package of a file, and follows it until the API has said what it thinks of it. What was not taken, or is stopped while it is sent, leaves nothing.
 * @throws Refused, Unreachable; what the signal was aborted with
 */
export async function onboard(
  client: ApiClient,
  file: Blob,
  tell: (how: Onboarding) => void,
  signal: AbortSignal,
): Promise<void> {
  const made = (await (await client.post(PACKAGES, {})).json()) as Package;
  const path = pathOf(`${PACKAGES}/{id}`, { id: made.id });
  try {
    // It may have been stopped while the package was made.
    signal.throwIfAborted();
    tell({ is: 'sending', sent: 0, of: file.size });
    await client.upload(`${path}/package_content`, file, (sent, of) => tell({ is: 'sending', sent, of }), signal);
  } catch (error) {
    if (await removed(client, path)) throw error;
    throw new Error(`${messageOf(error)}. What was made for it is left: it stands in the list, and can be removed on its page`, {
      cause: error,
    });
  }
  tell({ is: 'read' });
  for (let wait = FIRST; ; wait = EACH) {
    await after(wait, signal);
    const shown = (await (await client.send('GET', path)).json()) as Package;
    if (shown.onboardingState !== 'ONBOARDED' && shown.onboardingFailureDetails === undefined) continue;
    tell({ is: 'said', shown });
    return;
  }
}

/** Tries of taking away what was stopped, and the milliseconds between two: the API sees the connection end before it lets go of the upload. */
const TRIES = 6;
const AGAIN = 1_000;

/** @returns whether nothing is left */
async function removed(client: ApiClient, path: string): Promise<boolean> {
  for (let left = TRIES; left > 0; left--) {
    try {
      await client.send('DELETE', path);
      return true;
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) return error instanceof Refused && error.status === 404;
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }
  return false;
}

const after = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    function stop(): void {
      clearTimeout(timer);
      reject(new Error('it is no longer followed: the list of packages tells what came of it'));
    }
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
