import { millis, minutes, TerminalError, waitUntil, type JsonObject } from '@windlass/foundation';
import { parseStatus, type HeatApi, type StackRef, type StackSpec, type StackSummary } from '@windlass/openstack';
import { now } from '../operations.js';

/** How often a client without Windlass looks: as `openstack stack create --wait` could be told to. */
const LOOK_EVERY = millis(500);

/** How long all stacks of a round may take; as for operations. */
const WITHIN = minutes(5);

/** A stack that was made or deleted. Times are milliseconds since 1970 by `now`. */
export interface BareStack {
  ref: StackRef;
  sentAt: number;
  /** When the answer to the look had come that showed it complete, or gone. */
  seenAt: number;
}

/**
 * Makes and deletes stacks as a client does that has nothing but Heat: all requests at the same moment, then one listing of all of them each half
 * second until the last one is there, or gone.
 */
export class BareClient {
  /** @param left filled with the names of stacks that may be there: what was asked for and has not been seen gone */
  constructor(
    private readonly heat: HeatApi,
    private readonly signal: AbortSignal,
    private readonly left: Set<string>,
  ) {}

  /** @throws TerminalError `bench.bare` for a stack that fails */
  async make(spec: Omit<StackSpec, 'name'>, names: readonly string[]): Promise<BareStack[]> {
    const asked = await Promise.all(
      names.map(async (name) => {
        this.left.add(name);
        const sentAt = now();
        return { ref: await this.heat.createStack({ ...spec, name }), sentAt };
      }),
    );
    return this.#untilEach(asked, 'complete', (stack) => {
      if (stack === undefined || parseStatus(stack.status).phase === 'FAILED')
        throw new TerminalError('bench.bare', `a stack that was asked for without Windlass is ${said(stack)}`);
      return stack.status === 'CREATE_COMPLETE';
    });
  }

  /** @throws TerminalError `bench.bare` for a deletion that fails */
  async remove(refs: readonly StackRef[]): Promise<BareStack[]> {
    const asked = await Promise.all(
      refs.map(async (ref) => {
        const sentAt = now();
        await this.heat.deleteStack(ref);
        return { ref, sentAt };
      }),
    );
    const removed = await this.#untilEach(asked, 'gone', (stack) => {
      if (stack?.status === 'DELETE_FAILED')
        throw new TerminalError('bench.bare', `a stack that was deleted without Windlass is ${said(stack)}`);
      return stack === undefined || stack.deletedAt !== undefined;
    });
    for (const { name } of refs) this.left.delete(name);
    return removed;
  }

  async #untilEach(
    asked: readonly { ref: StackRef; sentAt: number }[],
    what: string,
    isSo: (stack: StackSummary | undefined) => boolean,
  ): Promise<BareStack[]> {
    const seen = new Map<string, number>();
    await waitUntil(
      async (last) => {
        const open = asked.filter(({ ref }) => !seen.has(ref.id));
        const listed = new Map((await this.heat.stacksById(open.map(({ ref }) => ref.id))).map((stack) => [stack.id, stack]));
        const seenAt = now();
        for (const { ref } of open) if (isSo(listed.get(ref.id))) seen.set(ref.id, seenAt);
        last(`${seen.size} of ${asked.length}`);
        return seen.size === asked.length ? true : undefined;
      },
      { for: `all stacks to be ${what}`, within: WITHIN, every: LOOK_EVERY, signal: this.signal },
    );
    return asked.map(({ ref, sentAt }) => ({ ref, sentAt, seenAt: seen.get(ref.id) ?? Number.NaN }));
  }
}

const said = (stack: StackSummary | undefined): string =>
  stack === undefined ? 'not there' : `${stack.status}: ${stack.statusReason}`;

/** The body of a request for a stack, as Heat's API has it. */
export type StackBody = {
  template: string | JsonObject;
  files?: Record<string, string>;
  environment?: JsonObject;
  parameters?: JsonObject;
  timeout_mins?: number;
};

/** The same stack for another name: all of a request but its tags, by which audits tell Windlass's stacks from others'. */
export const specOf = ({ template, files, environment, parameters, timeout_mins }: StackBody): Omit<StackSpec, 'name'> => ({
  template,
  ...(files === undefined ? {} : { files }),
  ...(environment === undefined ? {} : { environment }),
  ...(parameters === undefined ? {} : { parameters }),
  ...(timeout_mins === undefined ? {} : { timeoutMinutes: timeout_mins }),
});
