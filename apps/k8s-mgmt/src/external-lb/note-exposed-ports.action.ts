import { isDeepStrictEqual } from 'node:util';
import { ofThisMachine } from '@windlass/driver-kit';
import { seconds, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { configurationOf } from './configuration.js';
import { exposedIn, exposedRecord, recordedPorts, type RecordedPorts } from './exposed-ports.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { AskedExternalLbInput } from './external-lb-input.js';

export interface NoteExposedPortsInput extends AskedExternalLbInput {
  /** Whether the load balancer has just got the ports of the previous machine: from now on the record is about the new machine. */
  takesOver?: boolean;
  /** Whether the load balancer is about to be replaced. It may be dead: then the record stays as it is. */
  leaving?: boolean;
}

type Context = ExternalLbContext<NoteExposedPortsInput>;

/**
 * Records in the cluster which of its ports the load balancer opens outward. People and packages' scripts open ports, and a dead VM can't be asked
 * for its file. The step only looks, so there is nothing to undo.
 */
export const noteExposedPorts = implementAction(declared<NoteExposedPortsInput, Noted | undefined>('note-exposed-ports'), {
  apply: async (context: Context): Promise<Noted | undefined> => {
    const { input, machine, api } = context;
    const server = machine.vnfc.resourceId;
    const before = await recordIn(context);
    // An earlier heal that stopped half-way has left a machine without the ports of the previous machine.
    if (before !== 'unknown' && before.server !== server && input.takesOver !== true)
      return {
        notes: [
          `${machine.name} does not have the ports of the load balancer before it yet: what was noted of that one stays until ${machine.name} is healed`,
        ],
      };
    const text = await fileOf(context);
    if (text === undefined) {
      const known =
        before === 'unknown'
          ? 'nothing is noted of its open ports'
          : 'its ports count as open that were so when it was looked at last';
      return { notes: [`${machine.name} does not show its configuration: ${known}`] };
    }
    const now: RecordedPorts = { server, ...exposedIn(text) };
    if (!isDeepStrictEqual(before, now)) await api.apply('note-exposed-ports', exposedRecord(now));
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(3), growth: 2 },
});

/** @throws TransientError `cluster.no-record` while the cluster does not say */
export async function recordIn({ api }: Pick<Context, 'api'>): Promise<RecordedPorts | 'unknown'> {
  let why = 'no answer';
  const record = await recordedPorts(api, (said) => (why = said));
  if (record !== undefined) return record;
  throw new TransientError('cluster.no-record', `the cluster does not say which ports its load balancer opens: ${why}`);
}

/** HAProxy's file; undefined where the machine has none, or is about to be replaced and does not answer. */
async function fileOf(context: Context): Promise<string | undefined> {
  try {
    return await configurationOf(context);
  } catch (error) {
    if (context.input.leaving === true && ofThisMachine(error)) return undefined;
    throw error;
  }
}
