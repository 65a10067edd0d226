import { TerminalError, type JsonObject } from '@windlass/foundation';
import { Command } from 'commander';
import type { ApiClient } from '../client/api-client.js';
import { text } from '../client/text.js';
import type { Surroundings } from '../surroundings/config.js';
import { vimCheckCommand } from './vim-check.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

const HOST_KEYS = '/windlass/v1/host_keys';
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** `./windlass vim`: what is kept of VIMs and of the machines in them. */
export function vimCommand(where: Surroundings): Command {
  const hostKey = new Command('host-key').description('pinned SSH host keys of VNFCs');
  withTarget(
    hostKey.command('list').description('the keys, a line each').option('--vnf <id>', 'those of one VNF instance'),
  ).action(async ({ vnf, ...target }: TargetOptions & { vnf?: string }) => {
    const path = vnf === undefined ? HOST_KEYS : `${HOST_KEYS}?vnfInstanceId=${encodeURIComponent(vnf)}`;
    for (const key of await (await apiOf(where, target)).pages(path)) print(hostKeyLine(key));
  });
  withTarget(
    hostKey
      .command('remove <resourceId>')
      .description('forget the key of a server: compare the new fingerprint on its console first (docs/runbooks/host-keys.md)'),
  ).action(async (resourceId: string, options: TargetOptions) =>
    (await apiOf(where, options)).delete(`${HOST_KEYS}/${encodeURIComponent(resourceId)}`),
  );
  const vim = new Command('vim').description('VIMs: what they have for a VNF, and what is kept of them');
  withTarget(vim.command('list').description('the VIMs, a line each').option('--json', 'JSON, for programs')).action(
    async ({ json, ...options }: TargetOptions & { json?: boolean }) => {
      const vims = await vimsOf(await apiOf(where, options));
      if (json === true) print(JSON.stringify(vims, null, 2));
      else for (const each of vims) print(vimLine(each));
    },
  );
  withTarget(vim.command('show <vim>').description('one VIM, by its id or its name, as JSON')).action(
    async (named: string, options: TargetOptions) =>
      print(JSON.stringify(vimNamed(await vimsOf(await apiOf(where, options)), named), null, 2)),
  );
  return vim.addCommand(vimCheckCommand(where)).addCommand(hostKey);
}

const vimsOf = async (api: ApiClient): Promise<JsonObject[]> => (await api.get<{ vims: JsonObject[] }>('/v1.0/vims')).vims;

/** The VIM of that id, or the only one of that name. @throws TerminalError `vim.absent`, `vim.several` */
export function vimNamed(vims: readonly JsonObject[], named: string): JsonObject {
  const found = vims.filter(({ id }) => id === named);
  const [vim, other] = found.length > 0 ? found : vims.filter(({ name }) => name === named);
  if (vim === undefined)
    throw new TerminalError('vim.absent', `no VIM has the id or the name ${JSON.stringify(named)}: "vim list" names them`);
  if (other !== undefined)
    throw new TerminalError('vim.several', `several VIMs have the name ${JSON.stringify(named)}: give the id of one`);
  return vim;
}

/** A VIM for people. */
export const vimLine = ({ id, type, name, auth_url: url, is_default: isDefault }: JsonObject): string =>
  [text(id), text(type), text(name), text(url), ...(isDefault === true ? ['default'] : [])].join('  ');

/** A pinned key for people. */
export function hostKeyLine({
  resourceId,
  key,
  fingerprint,
  vnfInstanceId,
  vnfcId,
  pinnedAt,
  operationId,
  service,
}: JsonObject): string {
  const whose = vnfInstanceId === null ? 'of no known VNF instance' : `VNF ${text(vnfInstanceId)} VNFC ${text(vnfcId)}`;
  const by = operationId === null ? '' : ` by ${text(service)} in operation ${text(operationId)}`;
  return [
    text(resourceId),
    `${text(fingerprint)} (${text(key).split(' ', 1)[0] ?? ''})`,
    whose,
    `pinned ${text(pinnedAt)}${by}`,
  ].join('  ');
}
