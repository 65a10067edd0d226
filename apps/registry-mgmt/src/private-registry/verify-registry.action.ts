import { minutes, seconds, Secret } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from './action.js';
import { listenAddress } from './listen-address.js';
import { credentialOf, type RegistryContext } from './registry-context.js';
import { VERIFY_REGISTRY } from './scripts.js';
import type { VerifyRegistryInput } from './step-inputs.js';

/** How long a registry that was started may take to answer. */
const ANSWERS_WITHIN = 120;

/** Waits until the registry answers on its VM. The error of one that never answers has what it printed. */
export const verifyRegistry = implementAction(declared<VerifyRegistryInput>('verify-registry'), {
  apply: async (context: RegistryContext<VerifyRegistryInput>) => {
    const { port, engine, serves, login, machine } = context.input;
    const address = serves === undefined ? undefined : listenAddress(machine.vnfc, serves.cp);
    await context.script('verify-registry', {
      text: VERIFY_REGISTRY,
      within: minutes(5),
      arguments: async (files) => {
        const words = [String(port), engine, String(ANSWERS_WITHIN)];
        if (login !== undefined) await files.put('login', new Secret(`Authorization: Basic ${credentialOf(login).reveal()}`));
        const tls = serves?.access.certificate === undefined ? 'no' : 'yes';
        return [...words, address ?? '127.0.0.1', tls, login === undefined ? '' : files.path('login')];
      },
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(5) },
});
