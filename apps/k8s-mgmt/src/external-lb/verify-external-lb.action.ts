import { LOOK, targetOf } from '@windlass/driver-kit';
import { millis, seconds, TerminalError, waitUntil, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { AskedExternalLbInput } from './external-lb-input.js';
import { EXTERNAL_LB_PORT } from './haproxy.js';

export interface VerifyExternalLbInput extends AskedExternalLbInput {
  /** How long the API may take to answer there, in ms; a minute unless given. */
  withinMs?: number;
  /** The address that is asked, and that the certificate has to hold; the address that is logged in to unless given. */
  address?: string;
}

type Context = ExternalLbContext<VerifyExternalLbInput>;

const WITHIN = 60_000;

/**
 * Asks the cluster's API at the load balancer from a master: as the administrator, and as a client that knows the cluster's CA and registered
 * address. A master that can't reach that address asks for the same certificate at another address of the load balancer.
 */
export const verifyExternalLb = implementAction(declared<VerifyExternalLbInput>('verify-external-lb'), {
  apply: async (context: Context) => {
    const { machine, run, input } = context;
    const address = asWhich(context);
    let why = 'no answer';
    const look = async (seen: (text: string) => void): Promise<true | undefined> => {
      const answers = await context.masters.ask(async ({ host }) => {
        for (const at of addressesOf(context)) {
          const server = `--server=https://${at}:${EXTERNAL_LB_PORT}`;
          const name = at === address ? [] : [`--tls-server-name=${address}`];
          const asked = cmd`kubectl --kubeconfig=/etc/kubernetes/admin.conf ${server} ${name} --request-timeout=10s get --raw /readyz`;
          const { status, stderr } = await host.run(asked, { within: LOOK, sudo: true, expect: 'any' });
          if (status === 0) return true;
          why = `${at}: ${stderr.trim().split('\n').at(-1) ?? ''}`;
        }
        return undefined;
      });
      if (answers === undefined) seen(why);
      return answers;
    };
    const terms = { within: millis(input.withinMs ?? WITHIN), every: seconds(1), signal: run.signal };
    try {
      await waitUntil(look, { for: `the API to answer at https://${address}:${EXTERNAL_LB_PORT}`, ...terms });
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code !== 'wait.timeout') throw error;
      throw new TerminalError('external-lb.no-answer', faultOf(machine.name, address, why), { cause: error });
    }
    return undefined;
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

const asWhich = ({ machine, input }: Context): string => input.address ?? targetOf(machine).address;

/** Where the balancer may be reached, the address that it is known by first. */
function addressesOf(context: Context): string[] {
  const others = context.machine.vnfc.cps.flatMap(({ addresses }) => addresses).filter((each) => /^[\d.]+$/.test(each));
  return [...new Set([asWhich(context), ...others])];
}

function faultOf(name: string, address: string, why: string): string {
  const asked = `the cluster's API does not answer a master at https://${address}:${EXTERNAL_LB_PORT} (${name}), by any of its addresses. Last, at ${why}`;
  return why.includes('x509')
    ? `${asked}. The API server's certificate has to hold ${address} (with kubespray: supplementary_addresses_in_ssl_keys)`
    : `${asked}. Do security groups let TCP port ${EXTERNAL_LB_PORT} through to it, and 6443 from it to the masters? What HAProxy says there: journalctl -u haproxy`;
}
