import { millis, seconds, TerminalError, waitUntil, WindlassError } from '@windlass/foundation';
import { LOOK } from '@windlass/driver-kit';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import type { NodeInput } from '../node/node-input.js';
import { verifyLoadBalancer, type VerifyLoadBalancerInput } from './contracts.js';
import { BALANCED_PORT } from './load-balancer.js';
import { LOOK_AT_VIP } from './scripts.js';

type Context = NodeContext<VerifyLoadBalancerInput>;

/** How long the masters may take to agree, in ms, where the plan says nothing of it. */
const WITHIN = 30_000;

/** What one master says of the virtual address. */
interface Seen {
  name: string;
  holds: boolean;
  answered: boolean;
}

/** Looks from all masters: one has the virtual address, and each gets an answer there. */
export const verifyLoadBalancerWork = implementAction(verifyLoadBalancer, {
  apply: async (context: Context) => {
    const { vip, masters, withinMs = WITHIN } = context.input;
    let fault: string | undefined;
    const look = async (seen: (text: string) => void): Promise<true | undefined> => {
      fault = faultOf(vip, await Promise.all(masters.map((master) => lookFrom(context, master))));
      if (fault === undefined) return true;
      seen(fault);
      context.progress(fault);
      return undefined;
    };
    const { signal } = context.run;
    try {
      await waitUntil(look, { for: `the virtual address ${vip}`, within: millis(withinMs), every: seconds(1), signal });
    } catch (error) {
      if (!(error instanceof WindlassError) || error.code !== 'wait.timeout' || fault === undefined) throw error;
      throw new TerminalError('load-balancer.unfit', fault);
    }
    return undefined;
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

async function lookFrom(context: Context, master: NodeInput): Promise<Seen> {
  const { stdout } = await context.hostOf(master).run(cmd`/bin/bash -s ${context.input.vip}`, {
    within: LOOK,
    sudo: true,
    input: LOOK_AT_VIP,
  });
  return { name: master.name, holds: stdout.includes('holds\n'), answered: stdout.includes('answered\n') };
}

/** What is wrong, and what to do about it; undefined where all is right. */
function faultOf(vip: string, seen: readonly Seen[]): string | undefined {
  const names = (of: readonly Seen[]): string => of.map(({ name }) => name).join(', ');
  const holders = seen.filter(({ holds }) => holds);
  if (holders.length === 0)
    return `no master has the virtual address ${vip}: HAProxy answers on none of them (journalctl -u keepalived -u haproxy there says why)`;
  if (holders.length > 1)
    return `${names(holders)} each have the virtual address ${vip}, so they do not hear each other: their security groups have to let VRRP (IP protocol 112) through between masters`;
  const deaf = seen.filter(({ answered }) => !answered);
  if (deaf.length > 0)
    return `${names(holders)} has the virtual address ${vip}, and ${names(deaf)} gets no answer there: the masters' ports have to allow the address (allowed_address_pairs), and their security groups TCP port ${BALANCED_PORT} between nodes`;
  return undefined;
}
