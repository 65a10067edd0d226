import { Option, type Command } from 'commander';
import type { Surroundings } from '../surroundings/config.js';
import { certificateLines, certificatesIn } from './certificate-lines.js';
import { INSTANCES, print } from './follow-task.js';
import { watch } from './op.js';
import { apiOf, withTarget, type TargetOptions } from '../target/target.js';

interface CertificatesOptions extends TargetOptions {
  look?: true;
  renew?: true;
  json?: true;
}

/** `./windlass vnf certificates`: when those of a cluster's control plane end, and their renewal. */
export function addCertificates(vnf: Command, where: Surroundings): void {
  withTarget(
    vnf
      .command('certificates <id>')
      .description('when the certificates of the cluster that an instance has deployed end, as they were last looked at')
      .option('--look', 'have them looked at now, by an operation that changes nothing of the cluster')
      .addOption(
        new Option(
          '--renew',
          'have them renewed, on one master after another: each part of its control plane is started anew, and the API of a cluster with one master is away meanwhile',
        ).conflicts('look'),
      )
      .option('--json', 'JSON, for programs'),
  ).action(async (id: string, { look, renew, json, ...target }: CertificatesOptions) => {
    const api = await apiOf(where, target);
    if (look === true || renew === true) {
      const task = renew === true ? 'renew' : 'look';
      const opOccPath = await api.accept(`/windlass/v1/vnf_instances/${encodeURIComponent(id)}/certificates`, { task });
      await watch(api, opOccPath.split('/').at(-1) ?? '', { json: json === true });
    }
    const shown = certificatesIn(await api.get(`${INSTANCES}/${encodeURIComponent(id)}`));
    print(json === true ? (shown ?? {}) : certificateLines(shown, new Date()).join('\n'));
  });
}
