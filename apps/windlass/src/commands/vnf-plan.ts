import { OFFERED_OPERATIONS, taskOf } from '@windlass/sol003/operations';
import { Argument, type Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { followTask, INSTANCES } from './follow-task.js';
import { jsonFile } from './json-object.js';
import { withTarget, type TargetOptions } from '../target/target.js';

/** `modify` is asked for at the instance itself. */
const MODIFY = 'modify';

/** The operations by the last part of where they are asked for. */
const OPERATIONS = OFFERED_OPERATIONS.map((operation) => taskOf(operation)?.task ?? MODIFY);

/** `./windlass vnf plan`: what an operation would do whose request is in a file. */
export function addPlan(vnf: Command, where: Surroundings): void {
  withTarget(
    vnf
      .command('plan <id>')
      .description('show what an operation would do with the request body in a file ({} without one), and ask for nothing')
      .addArgument(new Argument('<operation>', 'which').choices(OPERATIONS))
      .argument('[file]', 'the body of its request, JSON')
      .option('--json', 'JSON, for programs'),
  ).action(async (id: string, operation: string, file: string | undefined, options: TargetOptions & { json?: boolean }) => {
    const body = file === undefined ? {} : await jsonFile(where, file);
    const instance = `${INSTANCES}/${id}`;
    const [path, method] =
      operation === MODIFY ? ([instance, 'PATCH'] as const) : ([`${instance}/${operation}`, 'POST'] as const);
    await followTask(where, { ...options, plan: true }, path, body, method);
  });
}
