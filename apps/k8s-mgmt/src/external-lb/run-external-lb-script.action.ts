import type { PackageFileRef, Proxies } from '@windlass/driver-kit';
import { millis, seconds, Secret, TerminalError } from '@windlass/foundation';
import { cmd, type JobFiles, type PreparedRun } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { proxyEnvironment } from '../node/proxy-files.js';
import { lastWords } from '../packaged-script/last-words.js';
import type { ExternalLbContext } from './external-lb-context.js';
import type { Routes, ExternalLbInput } from './external-lb-input.js';
import { checkRoutes } from './haproxy.js';

export interface RunExternalLbScriptInput extends ExternalLbInput {
  routes: Routes;
  script: PackageFileRef;
  withinMs: number;
  /** Told to the script. */
  proxy?: Proxies;
  noProxy?: string;
}

type Context = ExternalLbContext<RunExternalLbScriptInput>;

const EVERY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/**
 * Runs the package's script in place of `install-external-lb`, as the user who logs in (spec/mgmt-kubernetes.md section 8). Later steps check the
 * result. There is no undo: the VM is deleted where the operation is rolled back.
 */
export const runExternalLbScript = implementAction(declared<RunExternalLbScriptInput>('run-external-lb-script'), {
  apply: async (context: Context) => {
    const { host, input, machine } = context;
    // The script writes them into HAProxy's configuration.
    checkRoutes([...input.routes.masters, ...input.routes.workers]);
    await context.firstBoot();
    const { status, secretOutput } = await host.job('external-lb-script', {
      prepare: (files) => prepare(context, files),
      sudo: false,
      secretOutput: true,
      okStatuses: EVERY_STATUS,
      within: millis(input.withinMs),
    });
    if (status === 0) return undefined;
    const { stdout = new Secret(''), stderr = new Secret('') } = secretOutput ?? {};
    const said = lastWords([stdout, stderr], context.known);
    throw new TerminalError(
      'script.failed',
      `${input.script.path} on ${machine.name} ended with exit status ${status}. It said last: ${said}`,
    );
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(10) },
});

async function prepare(context: Context, files: JobFiles): Promise<PreparedRun> {
  const { input, packages, run } = context;
  const { masters, workers } = input.routes;
  const csv = (nodes: readonly { address: string }[]): string => nodes.map(({ address }) => address).join(',');
  run.progress(`running ${input.script.path}`);
  await files.put('external-lb.sh', await packages.read(input.script, run.signal));
  return {
    run: cmd`/bin/bash ${files.path('external-lb.sh')} -m ${csv(masters)} -w ${csv(workers)}`,
    env: proxyEnvironment(input.proxy ?? {}, input.noProxy ?? ''),
  };
}
