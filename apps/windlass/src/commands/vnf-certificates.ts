import type { Command } from 'commander';
import type { Surroundings } from '../config.js';
import { certificateLines, certificatesIn } from './certificate-lines.js';
import { INSTANCES, print } from './follow-task.js';
import { apiOf, withTarget, type TargetOptions } from './target.js';

/** `./windlass vnf certificates`: when those of a cluster's control plane end. */
export function addCertificates(vnf: Command, where: Surroundings): void {
  withTarget(
    vnf
      .command('certificates <id>')
      .description('when the certificates of the cluster that an instance has deployed end, as they were last looked at')
      .option('--json', 'JSON, for programs'),
  ).action(async (id: string, { json, ...target }: TargetOptions & { json?: true }) => {
    const api = await apiOf(where, target);
    const shown = certificatesIn(await api.get(`${INSTANCES}/${encodeURIComponent(id)}`));
    print(json === true ? (shown ?? {}) : certificateLines(shown, new Date()).join('\n'));
  });
}
