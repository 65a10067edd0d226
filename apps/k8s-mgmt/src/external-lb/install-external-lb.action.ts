import { aptProxy, type Proxies } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { isAsWanted, toBe } from './configuration.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { Routes, ExternalLbInput } from './external-lb-input.js';
import { checkRoutes, installed } from './haproxy.js';
import { INSTALL_EXTERNAL_LB, REMOVE_EXTERNAL_LB } from './scripts.js';

export interface InstallExternalLbInput extends ExternalLbInput {
  routes: Routes;
  /** For apt. */
  proxy?: Proxies;
}

/** Installs HAProxy, for the API at port 8383 and for ports of Services. The undo removes it. */
export const installExternalLb = implementAction(declared<InstallExternalLbInput>('install-external-lb'), {
  check: (context: ExternalLbContext<InstallExternalLbInput>) =>
    isAsWanted(context, (text) => installed(text, context.input.routes)),
  apply: async (context) => {
    const { routes, proxy = {} } = context.input;
    checkRoutes([...routes.masters, ...routes.workers]);
    await context.firstBoot();
    await context.script('install-external-lb', {
      text: INSTALL_EXTERNAL_LB,
      within: minutes(30),
      arguments: async (files) => {
        await files.put('apt-proxy', aptProxy(proxy));
        return [...(await toBe(context, files, (text) => installed(text, routes))), files.path('apt-proxy')];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    await context.script('remove-external-lb', { text: REMOVE_EXTERNAL_LB, within: minutes(20), arguments: () => [] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});
