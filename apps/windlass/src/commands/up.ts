import { RequestError } from '@windlass/foundation';
import { asPublicUrl } from '@windlass/service-kit/plain';
import { Command, InvalidArgumentError, Option } from 'commander';
import { join } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';
import { withSettings } from './setting-options.js';
import type { UpOptions, UpProgram } from './up-program.js';

/** The product's own program, which has no lab. */
export const productUp = ({ home }: Surroundings): UpProgram => ({ program: join(home, 'apps/windlass/dist/main.js') });

export const portOf = (text: string): number => {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('expected a port between 0 and 65535 (0: a free one)');
  return port;
};

export const publicUrlOf = (text: string): string => {
  const url = asPublicUrl(text);
  if (url === undefined) throw new InvalidArgumentError('expected an http or https URL without credentials, query and fragment');
  return url;
};

/** `./windlass up`. */
export function upCommand(where: Surroundings, own: UpProgram = productUp(where)): Command {
  const up = new Command('up')
    .description('start all services with their own PostgreSQL and NATS, and keep them running')
    .option('--data <dir>', 'where everything is kept (default: ~/.cache/windlass/data)')
    .option('--port <port>', 'port of the REST API on 127.0.0.1; 0: a free one', portOf, 9890)
    .option(
      '--public-url <url>',
      'where clients find the REST API, which links begin with: behind a proxy (default: http://127.0.0.1:<port>)',
      publicUrlOf,
    );
  if (own.bringLab !== undefined)
    up.option('--lab', 'also start the lab (an OpenStack and its machines, root only) and register it as the default VIM');
  const [usual, ...others] = own.labKubernetes ?? [];
  if (usual !== undefined)
    up.addOption(
      new Option('--kubernetes <which>', 'with --lab: what it installs on nodes (docs/lab-kubernetes.md)')
        .choices([usual, ...others])
        .default(usual),
    );
  return withSettings(up)
    .option('--one-process', 'all services in one process: about a third of the memory, but none can fail alone')
    .option(
      '--replicas <service=n>',
      'so many processes of a service, such as infra-driver=3; may be given several times',
      (one: string, all: string[]) => [...all, one],
      [] as string[],
    )
    .option('--detach', 'return when everything is ready; `windlass down` stops it')
    .option('--json', 'print one JSON object when everything is ready')
    .action(async (options: UpOptions, command: Command) => {
      requireLab(options, command);
      const { runUp } = await import('./run-up.js');
      await runUp(where, own, options);
    });
}

/** @throws RequestError 400 `up.kubernetes-without-lab` */
function requireLab({ lab }: UpOptions, command: Command): void {
  if (lab === true || command.getOptionValueSource('kubernetes') !== 'cli') return;
  const problem = '--kubernetes says what the lab installs on its nodes, and no lab is started';
  throw new RequestError(400, 'up.kubernetes-without-lab', `${problem}: add --lab, or leave --kubernetes out`);
}
