import type { JsonObject } from '@windlass/foundation';
import { HEAL_BLOCK_STORAGE } from '@windlass/sol003';
import { Option, type Command } from 'commander';
import type { Surroundings } from '../config.js';
import { collected, followTask, INSTANCES, withTask, type TaskOptions } from './follow-task.js';

/** `./windlass vnf heal`. */
export function addHeal(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('heal <id>')
      .description('replace VMs of an instance, and follow it; without --vnfc the whole VNF is deleted and made anew')
      .option('--vnfc <id>', 'heal this vnfcResourceInfo (repeatable): a new VM with the same ports and addresses', collected, [])
      .option('--every-vm', 'replace every VM in its place instead of making the whole VNF anew')
      .option('--keep-volumes', 'give the new VMs the volumes of the old ones')
      .addOption(
        new Option(
          '--replace-volumes',
          'give the new VMs new volumes; without either option the management driver decides, or the standard: new ones for a --vnfc, the old ones with --every-vm',
        ).conflicts('keepVolumes'),
      )
      .option('--cause <text>', 'why, for the record'),
  ).action(async (id: string, options: TaskOptions & HealOptions) =>
    followTask(where, options, `${INSTANCES}/${id}/heal`, healBody(options)),
  );
}

interface HealOptions {
  vnfc: string[];
  everyVm?: true;
  keepVolumes?: true;
  replaceVolumes?: true;
  cause?: string;
}

/** The HealVnfRequest that the options mean. A driver keeps volumes where nothing is said of them: so nothing is said that nobody has said. */
export function healBody({ vnfc, everyVm, keepVolumes, replaceVolumes, cause }: HealOptions): JsonObject {
  const additionalParams = {
    ...(everyVm === true && vnfc.length === 0 ? { all: false } : {}),
    ...(keepVolumes === true ? { [HEAL_BLOCK_STORAGE]: false } : {}),
    ...(replaceVolumes === true ? { [HEAL_BLOCK_STORAGE]: true } : {}),
  };
  return {
    ...(vnfc.length === 0 ? {} : { vnfcInstanceId: vnfc }),
    ...(cause === undefined ? {} : { cause }),
    ...(Object.keys(additionalParams).length === 0 ? {} : { additionalParams }),
  };
}
