import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { change, configurationOf, isAsWanted, withRoutes } from './configuration.js';
import { routeExternalLb, type Route, type RouteExternalLbInput } from './contracts.js';
import type { ExternalLbContext } from './external-lb-context.js';
import { checkRoutes } from './haproxy.js';

type Context = ExternalLbContext<RouteExternalLbInput>;

/** Has a balancer pass ports of Services on to these nodes. */
export const routeExternalLbWork = implementAction(routeExternalLb, {
  check: (context: Context) => isAsWanted(context, to(context, context.input.nodes)),
  apply: async (context) => {
    await change(context, 'route-external-lb', to(context, context.input.nodes));
    return undefined;
  },
  undo: async (context) => {
    const { before } = context.input;
    // Where no file is, there are no routes to bring back.
    if (before === undefined || (await configurationOf(context)) === undefined) return;
    await change(context, 'restore-external-lb', to(context, before));
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

function to({ machine: { name } }: Context, nodes: readonly Route[]): (text: string | undefined) => string {
  checkRoutes(nodes);
  return (text) => withRoutes(text, nodes, name);
}
