import { RequestError, type JsonObject } from '@windlass/foundation';
import { Option, type Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import type { ReceivedPlan } from '../plans/received-plan.js';
import { collected, followTask, INSTANCES, PLANS, withTask, type TaskOptions } from './follow-task.js';
import { jsonFile } from './json-object.js';
import { questionOn, type Question } from './question.js';
import { apiOf } from '../target/target.js';

/** As `@windlass/sol003` has it, which is large: a test holds the two together. */
export const HEAL_BLOCK_STORAGE = 'tacker_extension_heal_include_block_storage';

/** `./windlass vnf heal`. */
export function addHeal(vnf: Command, where: Surroundings, question: Question | undefined = questionOn(process)): void {
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
          'give the new VMs new volumes: what is on the old ones is lost. Without either option the management driver decides, or the standard; where that would delete volumes, nothing is done without this option',
        ).conflicts('keepVolumes'),
      )
      .option(
        '--snapshot <snapshot>',
        'with --vnfc of the only master of a cluster: the snapshot that it is made again of, as "vnf snapshots" lists them (default: the newest)',
      )
      .option('--cause <text>', 'why, for the record')
      .option('--params <file>', 'additionalParams, a JSON file; what another option says of one goes before it')
      .option('--yes', 'with --replace-volumes on a terminal: do not ask again'),
  ).action(async (id: string, options: TaskOptions & HealOptions) => {
    const path = `${INSTANCES}/${id}/heal`;
    const body = healBody(options, options.params === undefined ? {} : await jsonFile(where, options.params));
    if (options.plan !== true) {
      const { volumes } = await (await apiOf(where, options)).post<ReceivedPlan>(`${PLANS}${path}`, body);
      if (!(await mayDelete(volumes?.toGo ?? [], options, question))) return;
    }
    await followTask(where, options, path, body);
  });
}

/**
 * Whether volumes that a heal would delete may go: only by the option that says so, and on a terminal only after it was asked again.
 * @throws RequestError where nobody has said so, with the names of the volumes and of the options
 */
export async function mayDelete(
  volumes: readonly string[],
  { replaceVolumes, yes }: Pick<HealOptions, 'replaceVolumes' | 'yes'>,
  ask: Question | undefined,
): Promise<boolean> {
  if (volumes.length === 0) return true;
  const told = `this heal deletes ${volumes.length === 1 ? 'a volume' : `${volumes.length} volumes`} with all that is on ${volumes.length === 1 ? 'it' : 'them'}: ${volumes.join(', ')}`;
  if (replaceVolumes !== true) {
    const how = '--replace-volumes says that they may go; --keep-volumes (with --vnfc or --every-vm) keeps them';
    throw new RequestError(400, 'cli.volumes', `${told}. Nothing was asked for: ${how}`);
  }
  return yes === true || ask === undefined || ask(told);
}

interface HealOptions {
  vnfc: string[];
  everyVm?: true;
  keepVolumes?: true;
  replaceVolumes?: true;
  snapshot?: string;
  cause?: string;
  params?: string;
  yes?: true;
}

/**
 * The HealVnfRequest that the options mean. A driver keeps volumes where nothing is said of them: so nothing is said that nobody has said.
 * @param params additionalParams that the options add to
 */
export function healBody(
  { vnfc, everyVm, keepVolumes, replaceVolumes, snapshot, cause }: HealOptions,
  params: JsonObject = {},
): JsonObject {
  const additionalParams = {
    ...params,
    ...(everyVm === true && vnfc.length === 0 ? { all: false } : {}),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(keepVolumes === true ? { [HEAL_BLOCK_STORAGE]: false } : {}),
    ...(replaceVolumes === true ? { [HEAL_BLOCK_STORAGE]: true } : {}),
  };
  return {
    ...(vnfc.length === 0 ? {} : { vnfcInstanceId: vnfc }),
    ...(cause === undefined ? {} : { cause }),
    ...(Object.keys(additionalParams).length === 0 ? {} : { additionalParams }),
  };
}
