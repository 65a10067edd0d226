import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { change, configurationOf, isAsWanted, withRoutes } from './configuration.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { Route, ExternalLbInput } from './external-lb-input.js';
import { checkRoutes } from './haproxy.js';

export interface RouteExternalLbInput extends ExternalLbInput {
  /** All nodes to which ports of Services are passed on. Nodes that are not listed here are taken out. */
  nodes: Route[];
  /** The nodes before the change, for the undo. */
  before?: Route[];
}

type Context = ExternalLbContext<RouteExternalLbInput>;

/** Has a load balancer, of our actions or of a script, pass ports of Services on to these nodes. The undo restores the earlier nodes. */
export const routeExternalLb = implementAction(declared<RouteExternalLbInput>('route-external-lb'), {
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
