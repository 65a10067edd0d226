import type { JsonObject } from '@windlass/foundation';
import type { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { planLines } from '../plans/plan-lines.js';
import type { ReceivedPlan } from '../plans/received-plan.js';
import { watch } from './op.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

/** Before the path of an operation's request: what it would do. */
export const PLANS = '/windlass/v1/plans';

/** Where the API has the instances. */
export const INSTANCES = '/vnflcm/v1/vnf_instances';

/** Writes a value as a person reads it. */
export const print = (value: unknown): void =>
  void process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

/** Collects the values of an option that may be given several times. */
export const collected = (value: string, earlier: string[]): string[] => [...earlier, value];

/** Of a command that asks for an operation. */
export interface TaskOptions extends TargetOptions {
  plan?: boolean;
  json?: boolean;
}

/** Adds the options of a command that asks for an operation. */
export const withTask = (command: Command): Command =>
  withTarget(command)
    .option('--plan', 'show what it would do, checked as if it were asked for, and ask for nothing')
    .option('--json', 'JSON, for programs');

/** Asks for an operation and follows it until it rests; or shows what it would do. */
export async function followTask(
  where: Surroundings,
  options: TaskOptions,
  path: string,
  body: JsonObject,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<void> {
  const api = await apiOf(where, options);
  const json = options.json === true;
  if (options.plan === true) {
    const planAt = `${PLANS}${path}`;
    const plan = await (method === 'POST' ? api.post<ReceivedPlan>(planAt, body) : api.patch<ReceivedPlan>(planAt, body));
    print(json ? plan : planLines(plan).join('\n'));
    return;
  }
  const opOccPath = await (method === 'POST' ? api.accept(path, body) : api.acceptPatch(path, body));
  if (!json) print(`accepted: ${opOccPath}`);
  await watch(api, opOccPath.split('/').at(-1) ?? '', { json });
}
