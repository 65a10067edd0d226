import type { JsonObject } from '@windlass/foundation';
import { Argument, Option, type Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { collected, followTask, INSTANCES, withTask, type TaskOptions } from './follow-task.js';
import { jsonFile } from './json-object.js';

/** What `./windlass vnf operate` may be told. */
export interface OperateOptions {
  graceful?: string;
  vnfc: string[];
  params?: string;
}

/** `./windlass vnf operate`: starts or stops the servers of an instance. */
export function addOperate(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('operate <id>')
      .description('start or stop the servers of an instance, and follow it; what stands so already is left as it is')
      .addArgument(new Argument('<to>', 'what it shall do').choices(['start', 'stop']))
      .addOption(new Option('--graceful <seconds>', 'with stop: let it drain this long first'))
      .option('--vnfc <id>', 'this vnfcResourceInfo alone (repeatable)', collected, [])
      .option('--params <file>', 'additionalParams, a JSON file'),
  ).action(async (id: string, to: 'start' | 'stop', options: TaskOptions & OperateOptions) => {
    const params = options.params === undefined ? undefined : await jsonFile(where, options.params);
    await followTask(where, options, `${INSTANCES}/${id}/operate`, operateBody(to, options, params));
  });
}

/** The OperateVnfRequest that the options mean. */
export function operateBody(to: 'start' | 'stop', { graceful, vnfc }: OperateOptions, params?: JsonObject): JsonObject {
  const stopType = graceful === undefined ? 'FORCEFUL' : 'GRACEFUL';
  return {
    changeStateTo: to === 'start' ? 'STARTED' : 'STOPPED',
    ...(to === 'stop' ? { stopType } : {}),
    ...(graceful === undefined ? {} : { gracefulStopTimeout: Number(graceful) }),
    ...(vnfc.length === 0 ? {} : { vnfcInstanceId: vnfc }),
    ...(params === undefined ? {} : { additionalParams: params }),
  };
}
