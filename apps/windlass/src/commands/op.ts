import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { Command, Option } from 'commander';
import { text } from '../client/text.js';
import type { ApiClient, StepView } from '../client/api-client.js';
import type { Surroundings } from '../surroundings/config.js';
import type { OperationDisplay } from '../display/operation-display.js';
import { drawOperation, type OperationHead } from '../display/step-tree.js';
import { jsonFile } from './json-object.js';
import { untilStopSignal } from './signals.js';
import { apiOf, type TargetOptions, withTarget } from '../target/target.js';

const OP_OCCS = '/vnflcm/v1/vnf_lcm_op_occs';
const pathOf = (id: string): string => `${OP_OCCS}/${id}`;
const print = (value: unknown): void =>
  void process.stdout.write(`${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n`);

interface WatchOptions extends TargetOptions {
  json?: boolean;
}

const jsonOption = (): Option => new Option('--json', 'JSON, one document a line, for programs');

/** Follows an operation to its rest; the exit status says how it ended: 0 for COMPLETED, 130 for Ctrl-C, else 1. */
export async function watch(api: ApiClient, id: string, options: { json?: boolean } = {}): Promise<void> {
  const signals = untilStopSignal();
  const json = options.json === true;
  const { operationWarnings, watchOperation } = await import('../display/watch-operation.js');
  const { displayFor, JsonLines } = await import('../display/operation-display.js');
  const display: OperationDisplay = json ? new JsonLines(print) : displayFor(process.stdout, print);
  let closed = false;
  const close = (): void => {
    if (!closed) display.close();
    closed = true;
  };
  try {
    const opOcc = await watchOperation(api, id, display, signals.signal);
    close();
    if (!json) {
      conclude(opOcc);
      for (const warning of await operationWarnings(api, id)) print(`note: ${warning}`);
    }
    if (opOcc.operationState !== 'COMPLETED') process.exitCode = 1;
  } catch (error) {
    if (!signals.signal.aborted) throw error;
    process.exitCode = 130;
  } finally {
    close();
    signals.release();
  }
}

function conclude(opOcc: JsonObject): void {
  print(`${text(opOcc.operation)} ${text(opOcc.operationState)}`);
  if (opOcc.error !== undefined) print(opOcc.error);
  if (opOcc.operationState === 'FAILED_TEMP')
    print(`it stands until somebody says how it goes on: ./windlass op retry|rollback|fail ${text(opOcc.id)}`);
}

/** `./windlass op`: operation occurrences. */
export function opCommand(where: Surroundings): Command {
  const op = new Command('op').description('operation occurrences of a running Windlass');
  looking(op, where);
  withTarget(
    op
      .command('retry <id>')
      .description('retry an operation that is FAILED_TEMP, and follow it')
      .option('--params <file>', 'JSON of the additionalParams that the retry changes, such as {"drain_force": true}'),
  ).action(async (id: string, options: TargetOptions & { params?: string }) => {
    const body = options.params === undefined ? {} : { additionalParams: await paramsIn(where, options.params) };
    const api = await apiOf(where, options);
    await api.task(`${pathOf(id)}/retry`, body);
    await watch(api, id);
  });
  withTarget(op.command('rollback <id>').description('rollback an operation that is FAILED_TEMP, and follow it')).action(
    async (id: string, options: TargetOptions) => {
      const api = await apiOf(where, options);
      await api.task(`${pathOf(id)}/rollback`, {});
      await watch(api, id);
    },
  );
  withTarget(op.command('fail <id>').description('leave an operation that is FAILED_TEMP as it is')).action(
    async (id: string, options: TargetOptions) => print(await (await apiOf(where, options)).post(`${pathOf(id)}/fail`, {})),
  );
  withTarget(
    op
      .command('cancel <id>')
      .description('stop an operation, and follow it')
      .option('--forceful', 'end what runs, on hosts too, instead of letting it end'),
  ).action(async (id: string, options: TargetOptions & { forceful?: boolean }) => {
    const api = await apiOf(where, options);
    await api.task(`${pathOf(id)}/cancel`, { cancelMode: options.forceful === true ? 'FORCEFUL' : 'GRACEFUL' });
    await watch(api, id);
  });
  return op;
}

/** What a file of parameters holds; a whole body with `additionalParams` is taken, too. */
export async function paramsIn(where: Pick<Surroundings, 'calledFrom'>, file: string): Promise<JsonObject> {
  const params = await jsonFile(where, file);
  const { additionalParams } = params;
  return isJsonObject(additionalParams) && Object.keys(params).length === 1 ? additionalParams : params;
}

function looking(op: Command, where: Surroundings): void {
  withTarget(
    op.command('list').description('the operations, a line each, the newest last').option('--json', 'JSON, for programs'),
  ).action(async ({ json, ...options }: WatchOptions) => {
    const all = byStart(await (await apiOf(where, options)).pages(OP_OCCS));
    if (json === true) print(all);
    else for (const each of all) print(operationLine(each));
  });
  withTarget(op.command('show <id>').description('one operation with the tree of its steps').addOption(jsonOption())).action(
    async (id: string, options: WatchOptions) => show(await apiOf(where, options), id, options),
  );
  withTarget(op.command('steps <id>').description('its steps, as JSON')).action(async (id: string, options: TargetOptions) =>
    print(await (await apiOf(where, options)).pages(`/windlass/v1/operations/${id}/steps`)),
  );
  withTarget(
    op
      .command('watch <id>')
      .description('follow it: the tree of its steps on a terminal, a line per step elsewhere; status 0 if it is COMPLETED')
      .addOption(jsonOption()),
  ).action(async (id: string, options: WatchOptions) => watch(await apiOf(where, options), id, options));
}

/** The newest last. */
export const byStart = (operations: readonly JsonObject[]): JsonObject[] =>
  operations.toSorted((one, other) => Date.parse(text(one.startTime)) - Date.parse(text(other.startTime)));

const operationLine = ({ id, operation, operationState, vnfInstanceId, startTime }: JsonObject): string =>
  [id, operation, operationState, vnfInstanceId, startTime].map(text).join('  ');

async function show(api: ApiClient, id: string, { json }: WatchOptions): Promise<void> {
  const opOcc = await api.get<JsonObject & OperationHead>(pathOf(id));
  if (json === true) {
    print(JSON.stringify(opOcc));
    return;
  }
  const steps = await api.pages<StepView>(`/windlass/v1/operations/${id}/steps`);
  const { stdout } = process;
  const colour = stdout.isTTY && stdout.hasColors();
  const canvas = { width: stdout.isTTY ? stdout.columns : 200, height: Number.POSITIVE_INFINITY, now: Date.now(), colour };
  print(drawOperation(opOcc, steps, canvas).join('\n'));
}
