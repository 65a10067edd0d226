import { seconds, waitUntil } from '@windlass/foundation';
import { Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { readRuntime, startTimeOf } from '../deployment/runtime-file.js';
import { dataDirOf } from '../target/data-dir.js';

/** `./windlass down`. */
export function downCommand(where: Surroundings): Command {
  return new Command('down')
    .description('stop what "windlass up" started on a data folder, and nothing else')
    .option('--data <dir>', 'the data folder (default: ~/.cache/windlass/data)')
    .action(async ({ data }: { data?: string }) => {
      const dataDir = dataDirOf(where, data);
      const info = await readRuntime(dataDir);
      if (info === undefined) {
        process.stdout.write(`nothing runs on ${dataDir}\n`);
        return;
      }
      process.kill(info.pid, 'SIGTERM');
      await waitUntil(() => Promise.resolve(startTimeOf(info.pid) === info.startedAt ? undefined : true), {
        for: `process ${info.pid} to end`,
        within: seconds(90),
        every: seconds(0.1),
      });
      process.stdout.write(`stopped Windlass on ${dataDir}\n`);
    });
}
