import type { PackageFileRef } from '@windlass/driver-kit';
import { millis, TerminalError, type Secret } from '@windlass/foundation';
import { cmd, type JobFiles, type PreparedRun } from '@windlass/mgmt-driver';
import { change, configurationOf, isAsWanted, withBackEnd } from '../external-lb/configuration.js';
import type { NodePortFrontend } from '../external-lb/haproxy.js';
import { lastWords } from '../packaged-script/last-words.js';
import { closed, closedNamed, exposed, isOpenIn, refuseTaken } from './frontends.js';
import type { NodePortsContext, NodePortsInput } from './node-ports-context.js';

export interface ExposeNodePortsInput extends NodePortsInput {
  /** The package's script that opens and closes the ports in our place. */
  script?: PackageFileRef;
  /** The longest that it may take, in ms. */
  withinMs: number;
}

type Context = NodePortsContext<ExposeNodePortsInput>;

/** Whether the ports are open, and HAProxy runs with that configuration. */
export async function areOpen(context: Context): Promise<boolean> {
  const { input, of, name } = context;
  if (input.script === undefined) return isAsWanted(context, (text) => exposed(withBackEnd(text, name), input.frontends, of));
  return isOpenIn((await configurationOf(context)) ?? '', input.frontends);
}

/** Whether none of them is open; HAProxy need not be there. */
export async function areClosed(context: Context): Promise<boolean> {
  const text = await configurationOf(context);
  return text === undefined || without(context)(text) === text;
}

/** Opens them. @throws TerminalError `external-lb.port-taken`, `external-lb.no-back-end`, `script.failed` */
export async function open(context: Context): Promise<void> {
  const { input, of, name } = context;
  if (input.script === undefined) {
    await change(context, 'expose-node-ports', (text) => exposed(withBackEnd(text, name), input.frontends, of));
    return;
  }
  refuseTaken(withBackEnd(await configurationOf(context), name), input.frontends, of, true);
  // Removes what an earlier attempt has half written; the script would write it twice.
  if (context.run.attemptEpoch > 1) await runScript(context, 'False');
  const { status, said } = await runScript(context, 'True');
  const text = await configurationOf(context);
  if (status === 0 && isOpenIn(text ?? '', input.frontends)) return;
  const why = status === 0 ? 'ended well, and the frontends are not there' : `ended with exit status ${status}`;
  throw new TerminalError('script.failed', `${input.script.path} -a True on ${name} ${why}. It said last: ${said}`);
}

/** Closes the ports. Our own change follows the package's script, and removes what the script leaves. */
export async function close(context: Context): Promise<void> {
  if (context.input.script !== undefined) await runScript(context, 'False');
  // Where no file is, nothing is open.
  if ((await configurationOf(context)) === undefined) return;
  await change(context, 'close-node-ports', (text) => without(context)(text ?? ''));
}

const without =
  ({ input: { script, frontends }, of: { vnf } }: Context) =>
  (text: string): string =>
    script === undefined ? closed(text, vnf) : closedNamed(text, frontends, vnf);

const EVERY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/** The package's script, as the user who logs in (spec/mgmt-kubernetes.md section 8). */
async function runScript(context: Context, isOpening: 'True' | 'False'): Promise<{ status: number; said: string }> {
  const { host, input } = context;
  const { status, secretOutput } = await host.job(`node-port-script-${isOpening.toLowerCase()}`, {
    prepare: (files) => prepare(context, files, isOpening),
    sudo: false,
    secretOutput: true,
    okStatuses: EVERY_STATUS,
    within: millis(input.withinMs),
  });
  const output = [secretOutput?.stdout, secretOutput?.stderr].filter((each): each is Secret => each !== undefined);
  return { status, said: lastWords(output, context.known) };
}

async function prepare(context: Context, files: JobFiles, isOpening: 'True' | 'False'): Promise<PreparedRun> {
  const { input, packages, run } = context;
  if (input.script === undefined) throw new TerminalError('script.missing', 'no script of the package is named');
  run.progress(`running ${input.script.path} -a ${isOpening}`);
  await files.put('node-ports.sh', await packages.read(input.script, run.signal));
  return { run: cmd`/bin/bash ${files.path('node-ports.sh')} -i ${servicesOf(input.frontends)} -a ${isOpening}` };
}

/** `namespace,name,port[,port]`, with `#` between Services. */
const servicesOf = (frontends: readonly NodePortFrontend[]): string =>
  frontends.map(({ name, ports }) => [...name.split('_'), ...ports].join(',')).join('#');
