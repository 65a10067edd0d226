import type { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { followTask, INSTANCES, withTask, type TaskOptions } from './follow-task.js';
import { jsonFile } from './json-object.js';

/** `./windlass vnf change-ext-conn`: connects external connection points otherwise. */
export function addChangeExtConn(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('change-ext-conn <id> <file>')
      .description('connect external connection points to other networks with the request body in a file, and follow it'),
  ).action(async (id: string, file: string, options: TaskOptions) =>
    followTask(where, options, `${INSTANCES}/${id}/change_ext_conn`, await jsonFile(where, file)),
  );
}
