import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { Surroundings } from '../surroundings/config.js';
import { writeSecret } from '../deployment/secret-file.js';
import { print } from './follow-task.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

/** Stands for standard output. */
const STDOUT = '-';

/** `./windlass vnf kubeconfig`: the way into the cluster that an instance has deployed. */
export function addKubeconfig(vnf: Command, where: Surroundings): void {
  withTarget(
    vnf
      .command('kubeconfig <id>')
      .description(
        'the kubeconfig of the cluster that an instance has deployed, with its administrator’s token; the audit trail tells who took it',
      )
      .option(
        '--out <file>',
        `the file that it is written to, which you alone can read (default: kubeconfig-<id>); ${STDOUT} prints it`,
      ),
  ).action(async (id: string, { out, ...target }: TargetOptions & { out?: string }) => {
    const api = await apiOf(where, target);
    const config = await api.post(`/windlass/v1/vnf_instances/${encodeURIComponent(id)}/kubeconfig`, {});
    if (out === STDOUT) {
      print(config);
      return;
    }
    const file = out ?? `kubeconfig-${id}`;
    // JSON is YAML, and kubectl reads it.
    await writeSecret(resolve(where.calledFrom, file), JSON.stringify(config, null, 2));
    print(`the kubeconfig is in ${file}: kubectl --kubeconfig ${quoted(file)} get nodes`);
  });
}

/** As a shell takes it for one word. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
