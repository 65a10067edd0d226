import { LOOK } from '@windlass/driver-kit';
import { millis, seconds, TerminalError, waitUntil, WindlassError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { unlessGone } from '../node/gone-peer.js';
import type { NodeContext } from '../node/node-context.js';
import { BALANCED_PORT } from './load-balancer.js';
import { LOOK_AT_VIP } from './scripts.js';

export interface VerifyLoadBalancerInput extends NodeStepInput {
  vip: string;
  /** All masters that may hold the address, the step's own node among them. */
  masters: NodeInput[];
  /** How long they may take to agree; half a minute unless given. */
  withinMs?: number;
}

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
export const verifyLoadBalancer = implementAction(declared<VerifyLoadBalancerInput, Noted | undefined>('verify-load-balancer'), {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { vip, masters, withinMs = WITHIN } = context.input;
    let fault: string | undefined;
    const gone = new Set<NodeInput>();
    const look = async (seen: (text: string) => void): Promise<true | undefined> => {
      const asked = masters.filter((master) => !gone.has(master));
      const said = await Promise.all(asked.map((master) => lookFrom(context, master)));
      for (const [n, master] of asked.entries()) if (said[n] === undefined) gone.add(master);
      fault = faultOf(
        vip,
        said.filter((each) => each !== undefined),
      );
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
    if (gone.size === 0) return undefined;
    return { notes: [...gone].map(({ name }) => `${name} does not answer: nobody has looked from there at the virtual address`) };
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** What a master sees; undefined where the master is dead already. */
async function lookFrom(context: Context, master: NodeInput): Promise<Seen | undefined> {
  const { vip } = context.input;
  const options = { within: LOOK, sudo: true, input: LOOK_AT_VIP } as const;
  const host = context.hostOf(master);
  const peer = { cluster: context.cluster, node: master, host, silent: context.silent };
  const said = await unlessGone(peer, () => host.run(cmd`/bin/bash -s ${vip}`, options));
  if (said === undefined) return undefined;
  const { stdout } = said;
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
