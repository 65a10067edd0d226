import { LOOK, ofThisMachine } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { fitting } from '../node/given-words.js';
import type { PreparationContext } from './ansible-context.js';
import type { ClusterVariables, PrepareInventoryInput } from './ansible-input.js';
import { LINK_MTU, PREPARE_FOLDER, REMOVE_FOLDER } from './server-scripts.js';
import { quoted, UNSAFE } from './yaml-text.js';

/** The bytes that VXLAN, the larger of Calico's two encapsulations, puts before each packet. */
const ENCAPSULATION = 50;

/**
 * Waits for the first boot of fresh nodes, and makes the instance's folder on the Ansible server, with kubespray's sample and our group variables. An
 * existing folder is kept, unless the operation makes the cluster again.
 */
export const prepareInventory = implementAction(declared<PrepareInventoryInput>('prepare-inventory'), {
  apply: async (context: PreparationContext) => {
    const { folder, rootPath, instance, kubespray, variables, fresh, anew } = context.input;
    await Promise.all(fresh.map((node) => context.firstBoot(node)));
    const text = groupVariables(variables, await mtuOf(context), instance);
    await context.script('prepare-inventory', {
      text: PREPARE_FOLDER,
      within: minutes(2),
      arguments: async (files) => {
        await files.put('variables.yml', text);
        const operation = anew === true ? context.run.operationId : '';
        return [folder, rootPath, instance, kubespray.groups.cluster, operation, files.path('variables.yml')];
      },
    });
    return undefined;
  },
  undo: async (context) => {
    const { folder, instance } = context.input;
    await context.script('remove-inventory', { text: REMOVE_FOLDER, within: minutes(2), arguments: () => [folder, instance] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 4, backoff: seconds(5), growth: 2 },
});

/**
 * The MTU, from the first master that tells it; undefined where no master has such a link. @throws the error of the last master that can't be reached
 */
async function mtuOf(context: PreparationContext): Promise<number | undefined> {
  let failure: unknown;
  for (const master of context.input.masters) {
    try {
      const options = { within: LOOK, input: LINK_MTU, expect: 'any' } as const;
      const { stdout } = await context.hostOf(master).run(cmd`/bin/bash -s ${master.address}`, options);
      const mtu = Number(stdout.trim());
      return Number.isInteger(mtu) && mtu > ENCAPSULATION ? mtu : undefined;
    } catch (error) {
      if (!ofThisMachine(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Group variables, in the form of kubespray's own files. @throws TerminalError `kubespray.bad-range`, `kubespray.bad-address` */
export function groupVariables(
  { podCidr, serviceCidr, addresses }: ClusterVariables,
  mtu: number | undefined,
  instance: string,
): string {
  // The slash alone makes it a text in any YAML.
  const range = (text: string, field: string): string => `${UNSAFE} ${quoted(fitting('kubespray', 'range', text, field))}`;
  const addressed = addresses.map((address) =>
    quoted(fitting('kubespray', 'address', address, 'an address by which the cluster is reached from outside')),
  );
  const values = {
    ...(podCidr === undefined ? {} : { kube_pods_subnet: range(podCidr, 'pod_cidr') }),
    ...(serviceCidr === undefined ? {} : { kube_service_addresses: range(serviceCidr, 'cluster_cidr') }),
    ...(mtu === undefined ? {} : { calico_mtu: mtu - ENCAPSULATION, calico_veth_mtu: mtu - ENCAPSULATION }),
    ...(addressed.length === 0 ? {} : { supplementary_addresses_in_ssl_keys: `${UNSAFE} [${addressed.join(', ')}]` }),
  };
  const lines = Object.entries(values).map(([name, value]) => `${name}: ${value}`);
  return [
    `# Of VNF instance ${instance}, by Windlass: this file comes last, and what it says holds.`,
    '---',
    ...(lines.length === 0 ? ['{}'] : lines),
    '',
  ].join('\n');
}
