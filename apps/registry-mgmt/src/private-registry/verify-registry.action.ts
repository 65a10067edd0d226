import { minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { verifyRegistry, type VerifyRegistryInput } from './contracts.js';
import type { RegistryContext } from './registry-context.js';
import { VERIFY_REGISTRY } from './scripts.js';

/** How long a registry that was started may take to answer. */
const ANSWERS_WITHIN = 120;

/** Waits until the registry answers on its VM; one that never does is told with what it printed. */
export const verifyRegistryWork = implementAction(verifyRegistry, {
  apply: async (context: RegistryContext<VerifyRegistryInput>) => {
    const { port, engine } = context.input;
    await context.script('verify-registry', {
      text: VERIFY_REGISTRY,
      within: minutes(5),
      arguments: () => [String(port), engine, String(ANSWERS_WITHIN)],
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(5) },
});
