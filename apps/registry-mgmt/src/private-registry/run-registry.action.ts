import { LOOK } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { declared } from './action.js';
import { bracketed, listenAddress } from './listen-address.js';
import type { RegistryContext } from './registry-context.js';
import { accessLabel, CONTAINER_FORMAT, NAME, PROGRAM_UNIT, programConfig, RUN_CONTAINER, RUN_PROGRAM } from './scripts.js';
import type { RegistryAccess, RunRegistryInput, RunRegistryOutput } from './step-inputs.js';

type Context = RegistryContext<RunRegistryInput>;

/** Runs the registry as a container, or as a program where no container runs. */
export const runRegistry = implementAction(declared<RunRegistryInput, RunRegistryOutput>('run-registry'), {
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

function noted({ engine: { engine, why = '' }, machine, serves }: RunRegistryInput): RunRegistryOutput {
  const notes: string[] = [];
  if (engine !== 'docker') {
    const instead =
      'Debian’s and Ubuntu’s docker-registry serves in its place, and no image of the package or of Docker Hub is used';
    notes.push(`no container runs on ${machine.name}: ${why === '' ? 'Docker does not say why' : why}; ${instead}`);
  }
  if (serves !== undefined && listenAddress(machine.vnfc, serves.cp) === undefined)
    notes.push(`the registry listens at all addresses of ${machine.name}: registry_cp_name would name the CP with the right one`);
  return notes.length === 0 ? {} : { notes };
}

const OPEN: RegistryAccess = { login: false };

/** Address and port, in the forms of Docker and of the program. An empty address means all addresses. */
function placeOf({ machine, port, serves }: RunRegistryInput): { address: string; at: string; access: RegistryAccess } {
  const address = (serves === undefined ? undefined : listenAddress(machine.vnfc, serves.cp)) ?? '';
  return { address, at: `${bracketed(address)}:${port}`, access: serves?.access ?? OPEN };
}

async function containerRuns({ host, input }: Context): Promise<boolean> {
  const { address, access } = placeOf(input);
  const look = cmd`docker inspect --format ${CONTAINER_FORMAT} ${NAME}`;
  const { stdout } = await host.run(look, { within: LOOK, sudo: true, expect: 'any' });
  return stdout.trim() === `true always ${address} ${input.port} ${accessLabel(access)} ${input.image}`;
}

async function programRuns(context: Context): Promise<boolean> {
  const { at, access } = placeOf(context.input);
  return (
    (await context.sees(cmd`systemctl is-active --quiet ${NAME} && systemctl is-enabled --quiet ${NAME}`)) &&
    (await context.sees(cmd`cmp -s - /etc/docker/registry/${NAME}.yml`, programConfig(at, access)))
  );
}

const yes = (which: boolean): string => (which ? 'yes' : 'no');

const runContainer = (context: Context) =>
  context.script('run-container', {
    text: RUN_CONTAINER,
    within: minutes(5),
    arguments: () => {
      const { image, port } = context.input;
      const { address, at, access } = placeOf(context.input);
      const publish = `${address === '' ? port : at}:5000`;
      return [publish, image, accessLabel(access), yes(access.login), yes(access.certificate !== undefined)];
    },
  });

const runProgram = (context: Context) =>
  context.script('run-program', {
    text: RUN_PROGRAM,
    within: minutes(20),
    arguments: async (files) => {
      const { at, access } = placeOf(context.input);
      await files.put('config', programConfig(at, access));
      await files.put('unit', PROGRAM_UNIT);
      return [at, files.path('config'), files.path('unit')];
    },
  });
