import { spawnSync } from 'node:child_process';
import { InvalidArgumentError, Option } from 'commander';
import { withOwn } from '../environment/config.js';

/** @throws InvalidArgumentError for what Node.js does not take, in its words */
export const nodeOptionsOf = (text: string): string => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', '0'], {
    encoding: 'utf8',
    env: withOwn({ NODE_OPTIONS: text }),
  });
  if (status !== 0) throw new InvalidArgumentError(`Node.js refuses it: ${stderr.trim()}`);
  return text;
};

/** What Node.js and V8 of the services' processes are told. @param besides what else the bench does then */
export const nodeOptionsOption = (besides: string): Option =>
  new Option(
    '--node-options <options>',
    `what the services' Node.js is told by NODE_OPTIONS, such as --node-options=--max-semi-space-size=4${besides}`,
  ).argParser(nodeOptionsOf);
