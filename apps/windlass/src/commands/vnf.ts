import { text } from '../client/text.js';
import { type JsonObject } from '@windlass/foundation';
import { Command, Option } from 'commander';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ApiClient } from '../client/api-client.js';
import type { Surroundings } from '../surroundings/config.js';
import { auditCommand } from './audit.js';
import { cleanUpCommand } from './clean-up.js';
import { followTask, INSTANCES, print, withTask, type TaskOptions } from './follow-task.js';
import { jsonFile } from './json-object.js';
import { apiOf, type TargetOptions, withTarget } from '../target/target.js';
import { addCertificates } from './vnf-certificates.js';
import { addChangeExtConn } from './vnf-change-ext-conn.js';
import { addHeal } from './vnf-heal.js';
import { addKubeconfig } from './vnf-kubeconfig.js';
import { addOperate } from './vnf-operate.js';
import { addPack } from './vnf-pack.js';
import { addPlan } from './vnf-plan.js';
import { addScaleToLevel } from './vnf-scale-to-level.js';
import { addSnapshots } from './vnf-snapshots.js';

/** `./windlass vnf`: packages and VNF instances from the command line. */
export function vnfCommand(where: Surroundings): Command {
  const vnf = new Command('vnf').description('packages and VNF instances of a running Windlass');
  addPack(vnf, where);
  withTarget(vnf.command('onboard <package>').description('onboard a package: a zip file, or a folder to be zipped')).action(
    async (path: string, options: TargetOptions) =>
      print(await onboard(await apiOf(where, options), resolve(where.calledFrom, path))),
  );
  withTarget(vnf.command('list').description('the instances, a line each').option('--json', 'JSON, for programs')).action(
    async ({ json, ...options }: TargetOptions & { json?: boolean }) => {
      const all = await (await apiOf(where, options)).pages(INSTANCES);
      if (json === true) print(all);
      else
        for (const { id, instantiationState, vnfInstanceName } of all)
          print(`${text(id)}  ${text(instantiationState)}  ${text(vnfInstanceName)}`);
    },
  );
  withTarget(vnf.command('show <id>').description('one instance')).action(async (id: string, options: TargetOptions) =>
    print(await (await apiOf(where, options)).get(`${INSTANCES}/${id}`)),
  );
  withTarget(vnf.command('create <vnfdId> [name]').description('make an instance of an onboarded VNFD')).action(
    async (vnfdId: string, name: string | undefined, options: TargetOptions) =>
      print(
        await (await apiOf(where, options)).post(INSTANCES, { vnfdId, ...(name === undefined ? {} : { vnfInstanceName: name }) }),
      ),
  );
  withTask(
    vnf.command('instantiate <id> <file>').description('instantiate with the request body in a file, and follow it'),
  ).action(async (id: string, file: string, options: TaskOptions) => {
    await followTask(where, options, `${INSTANCES}/${id}/instantiate`, await jsonFile(where, file));
  });
  addScale(vnf, where);
  addScaleToLevel(vnf, where);
  addModify(vnf, where);
  withTask(
    vnf
      .command('terminate <id>')
      .description('terminate, and follow it')
      .option('--graceful <seconds>', 'let it drain this long first'),
  ).action(async (id: string, options: TaskOptions & { graceful?: string }) => {
    const body =
      options.graceful === undefined
        ? { terminationType: 'FORCEFUL' }
        : { terminationType: 'GRACEFUL', gracefulTerminationTimeout: Number(options.graceful) };
    await followTask(where, options, `${INSTANCES}/${id}/terminate`, body);
  });
  addHeal(vnf, where);
  addOperate(vnf, where);
  addChangeExtConn(vnf, where);
  addPlan(vnf, where);
  addKubeconfig(vnf, where);
  addCertificates(vnf, where);
  addSnapshots(vnf, where);
  withTarget(vnf.command('delete <id>').description('delete an instance that is not instantiated')).action(
    async (id: string, options: TargetOptions) => (await apiOf(where, options)).delete(`${INSTANCES}/${id}`),
  );
  vnf.addCommand(auditCommand(where));
  vnf.addCommand(cleanUpCommand(where));
  return vnf;
}

function addScale(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('scale <id> <aspect>')
      .description('scale an aspect in or out, and follow it')
      .addOption(new Option('--out', 'more members (the default)').conflicts('in'))
      .option('--in', 'fewer members')
      .option('--steps <number>', 'how many steps of the aspect', '1')
      .option('--oldest', 'with --in: the oldest members leave, instead of the newest')
      .option('--leaving <vnfc...>', 'with --in: who leaves, by id, server name or address; others only if more leave')
      .option('--params <file>', 'additionalParams, a JSON file'),
  ).action(async (id: string, aspectId: string, options: TaskOptions & ScaleOptions) => {
    const params = {
      ...(options.params === undefined ? {} : await jsonFile(where, options.params)),
      ...(options.oldest === true ? { is_reverse: 'False' } : {}),
      ...(options.leaving === undefined ? {} : { leaving_vnfcs: options.leaving }),
    };
    await followTask(where, options, `${INSTANCES}/${id}/scale`, {
      type: options.in === true ? 'SCALE_IN' : 'SCALE_OUT',
      aspectId,
      numberOfSteps: Number(options.steps),
      ...(Object.keys(params).length === 0 ? {} : { additionalParams: params }),
    });
  });
}

interface ScaleOptions {
  in?: boolean;
  steps: string;
  oldest?: boolean;
  leaving?: string[];
  params?: string;
}

function addModify(vnf: Command, where: Surroundings): void {
  withTask(
    vnf
      .command('modify <id> [file]')
      .description('change what is kept of an instance, by a JSON merge patch in a file or by options, and follow it')
      .option('--name <name>', 'vnfInstanceName')
      .option('--description <text>', 'vnfInstanceDescription')
      .option('--vnfd <vnfdId>', 'the VNFD of another onboarded package'),
  ).action(async (id: string, file: string | undefined, options: TaskOptions & ModifyOptions) => {
    const { name, description, vnfd } = options;
    const patch = {
      ...(file === undefined ? {} : await jsonFile(where, file)),
      ...(name === undefined ? {} : { vnfInstanceName: name }),
      ...(description === undefined ? {} : { vnfInstanceDescription: description }),
      ...(vnfd === undefined ? {} : { vnfdId: vnfd }),
    };
    await followTask(where, options, `${INSTANCES}/${id}`, patch, 'PATCH');
  });
}

interface ModifyOptions {
  name?: string;
  description?: string;
  vnfd?: string;
}

/** Onboards a zip, or the folder of a package's sources. */
export async function onboard(api: ApiClient, path: string): Promise<JsonObject> {
  if (!(await stat(path)).isDirectory()) return api.onboard(path);
  const folder = await mkdtemp(join(tmpdir(), 'windlass-package-'));
  try {
    const file = join(folder, 'package.zip');
    const { buildCsar, renewalLines } = await import('../packages/pack.js');
    const { renewed } = await buildCsar(path, file);
    for (const line of renewalLines(renewed)) process.stderr.write(`${line}, in what is sent\n`);
    return await api.onboard(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
