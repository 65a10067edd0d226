import type { JsonObject } from '@windlass/foundation';
import { InvalidArgumentError, type Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { followTask, INSTANCES, withTask, type TaskOptions } from './follow-task.js';
import { jsonFile } from './json-object.js';

/** What `./windlass vnf scale-to-level` may be told. */
export interface ScaleToLevelOptions {
  level?: string;
  oldest?: boolean;
  params?: string;
}

/** `./windlass vnf scale-to-level`: an instance to a level of its VNFD, or aspects to levels of theirs. */
export function addScaleToLevel(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('scale-to-level <id>')
      .description('bring an instance to an instantiation level, or aspects of it to levels, and follow it')
      .argument('[aspect=level...]', 'where these aspects shall stand; others stay', aspectLevel, [])
      .option('--level <id>', 'instantiation level of the VNFD, which says it of every aspect')
      .option('--oldest', 'of a group that shrinks the oldest members leave, instead of the newest')
      .option('--params <file>', 'additionalParams, a JSON file'),
  ).action(async (id: string, aspects: AspectLevel[], options: TaskOptions & ScaleToLevelOptions) => {
    const params = options.params === undefined ? undefined : await jsonFile(where, options.params);
    await followTask(where, options, `${INSTANCES}/${id}/scale_to_level`, scaleToLevelBody(aspects, options, params));
  });
}

type AspectLevel = { aspectId: string; scaleLevel: number };

/** Adds what `aspect=level` means to those before. @throws InvalidArgumentError for anything else */
export function aspectLevel(given: string, before: AspectLevel[]): AspectLevel[] {
  const [, aspectId, level] = /^(.+)=(\d+)$/.exec(given) ?? [];
  if (aspectId === undefined || level === undefined)
    throw new InvalidArgumentError(`expected an aspect and its level, such as worker_instance=2, got "${given}"`);
  return [...before, { aspectId, scaleLevel: Number(level) }];
}

/** The ScaleVnfToLevelRequest that the options mean. */
export function scaleToLevelBody(
  scaleInfo: AspectLevel[],
  { level, oldest }: ScaleToLevelOptions,
  params: JsonObject = {},
): JsonObject {
  const additionalParams = { ...params, ...(oldest === true ? { is_reverse: 'False' } : {}) };
  return {
    ...(level === undefined ? {} : { instantiationLevelId: level }),
    ...(scaleInfo.length === 0 ? {} : { scaleInfo }),
    ...(Object.keys(additionalParams).length === 0 ? {} : { additionalParams }),
  };
}
