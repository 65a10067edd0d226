import { LOOK } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { runRegistry, type RunRegistryInput, type RunRegistryOutput } from './contracts.js';
import type { RegistryContext } from './registry-context.js';
import { CONTAINER_FORMAT, NAME, PROGRAM_UNIT, programConfig, RUN_CONTAINER, RUN_PROGRAM } from './scripts.js';

type Context = RegistryContext<RunRegistryInput>;

/** The registry, as a container; or by itself where no container runs. */
export const runRegistryWork = implementAction(runRegistry, {
  check: async (context: Context) => {
    const runs = context.input.engine.engine === 'docker' ? await containerRuns(context) : await programRuns(context);
    return runs && present<RunRegistryOutput>(noted(context.input));
  },
  apply: async (context) => {
    const { input } = context;
    await (input.engine.engine === 'docker' ? runContainer(context) : runProgram(context));
    return noted(input);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

function noted({ engine: { engine, why = '' }, machine }: RunRegistryInput): RunRegistryOutput {
  if (engine === 'docker') return {};
  const instead =
    'Debian’s and Ubuntu’s docker-registry serves in its place, and no image of the package or of Docker Hub is used';
  return { notes: [`no container runs on ${machine.name}: ${why === '' ? 'Docker does not say why' : why}; ${instead}`] };
}

async function containerRuns({ host, input: { port, image } }: Context): Promise<boolean> {
  const look = cmd`docker inspect --format ${CONTAINER_FORMAT} ${NAME}`;
  const { stdout } = await host.run(look, { within: LOOK, sudo: true, expect: 'any' });
  return stdout.trim() === `true always ${port} ${image}`;
}

const programRuns = async (context: Context): Promise<boolean> =>
  (await context.sees(cmd`systemctl is-active --quiet ${NAME} && systemctl is-enabled --quiet ${NAME}`)) &&
  context.sees(cmd`cmp -s - /etc/docker/registry/${NAME}.yml`, programConfig(context.input.port));

const runContainer = (context: Context) =>
  context.script('run-container', {
    text: RUN_CONTAINER,
    within: minutes(5),
    arguments: () => [String(context.input.port), context.input.image],
  });

const runProgram = (context: Context) =>
  context.script('run-program', {
    text: RUN_PROGRAM,
    within: minutes(20),
    arguments: async (files) => {
      const { port } = context.input;
      await files.put('config', programConfig(port));
      await files.put('unit', PROGRAM_UNIT);
      return [String(port), files.path('config'), files.path('unit')];
    },
  });
