import { seconds } from '@windlass/foundation';
import { Command } from 'commander';
import type { InternetOptions } from '../defaults/internet-client.js';
import { positive } from './bench-numbers.js';

interface CheckDefaultsOptions {
  json?: boolean;
  within: number;
}

const AFTER = `
Each address has a line: found; gone (who answers for it says that it is not there, or that nobody gets it without a login; of a key: another one is
there); unknown (it can't be reached, or what answers is no registry or repository: that says nothing about the default). Then the days to write into
apps/k8s-mgmt/src/settings/internet-defaults.ts, for the defaults of which every address was found.
Nothing is sent but requests for what anybody may read: no login of yours. HTTPS_PROXY and its siblings are not used.
Status 0: all were found; 1: one is gone; 2: none is gone, but some are unknown.`;

/** `./windlass check-defaults`. @param internet for tests: how the internet is asked */
export function checkDefaultsCommand(internet: InternetOptions = {}): Command {
  return new Command('check-defaults')
    .description(
      'look on the internet whether the defaults are still there that only it can verify: images, tags, package repositories, fingerprints of keys',
    )
    .option('--within <seconds>', 'how long each address may take, with its redirects and tokens', positive, 30)
    .option('--json', 'one JSON object: {"checked": [{"of", "address", "result", "says"}], "lastSeen": {"<default>": "<day>"}}')
    .addHelpText('after', AFTER)
    .action(async ({ json, within }: CheckDefaultsOptions) => {
      const { checkDefaults, exitStatus, reportText } = await import('../defaults/check-defaults.js');
      const { InternetClient } = await import('../defaults/internet-client.js');
      const { defaultLooks } = await import('../defaults/looks.js');
      const today = new Date().toISOString().slice(0, 10);
      const report = await checkDefaults(defaultLooks(), new InternetClient(internet), { within: seconds(within), today });
      process.stdout.write(`${json === true ? JSON.stringify(report) : reportText(report)}\n`);
      process.exitCode = exitStatus(report);
    });
}
