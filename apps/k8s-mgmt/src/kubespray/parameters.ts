import { params, paramsAs, schema, type Given, type Parameter } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { externalLbSchema } from '../external-lb/parameters.js';
import { access, leaving, PARAM, proxy, verificationImage } from '../parameters/of-clusters.js';

const { cidr, machineOf, named, needed, objectOf, parameter, text, topLevel } = params;

// Each parameter of the driver stands here once: its name, its schema, and with it the type that plans read.

const { CONTROL } = schema;

/** A name of a folder or a file but for `..`. */
const SEGMENT = String.raw`\.|\.?[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*|\.\.[A-Za-z0-9._@+-]+`;

/**
 * An absolute path on the Ansible server. It stands in options of ssh and in an inventory, where blanks and quotes have a meaning; `..` would lead
 * out of the folder.
 */
const serverPath = (title: string): Parameter<string> => text(title, `^/(${SEGMENT})(/(${SEGMENT}|))*$`, { maxLength: 513 });

/** How an inventory is written. */
export type InventoryFormat = 'yaml' | 'ini';

const ansible = machineOf('The Ansible server, which has kubespray', {
  ip_address: needed(text('Its address', '^[0-9A-Fa-f.:]{2,45}$')),
  kubespray_root_path: needed(serverPath('Folder of kubespray there')),
  transferring_inventory_path: needed(
    serverPath('Folder there in which this VNF instance gets a folder of its own for its inventory'),
  ),
  // Ours.
  inventory_format: parameter<InventoryFormat>({ enum: ['yaml', 'ini'], default: 'yaml', title: 'How the inventory is written' }),
});

/** Where the request has no `nic_cp_name`, the hooks use `ssh_cp_name`. */
const nic = { nic_cp_name: named('CP in the cluster’s network; ssh_cp_name unless given') };

const master = machineOf('The control plane nodes', {
  ...access,
  ...nic,
  pod_cidr: cidr('Addresses of pods; kubespray’s own unless given'),
  cluster_cidr: cidr('Addresses of services; kubespray’s own unless given'),
  cluster_cp_name: named('Known from the other driver; not used'),
  cluster_fip_name: named('Known from the other driver; not used'),
});

const worker = machineOf('The worker nodes', { ...access, ...nic });

/** `k8s_cluster_installation_param` of this driver. */
export const kubespraySchema = objectOf('The cluster to be installed', {
  script_path: text('Known from the other driver; never read, and may be empty', `^[^${CONTROL}]*$`, { maxLength: 1_024 }),
  vim_name: text('Name of the VIM that the cluster becomes', `^[^${CONTROL}]{1,255}$`),
  verification_image: verificationImage,
  // The document has it 0..1. Where it is missing, the check of the request says what to give.
  ansible,
  master_node: needed(master),
  worker_node: needed(worker),
  proxy,
  external_lb_param: externalLbSchema,
});

/** JSON Schema (2020-12) of `additionalParams`. */
export const kubesprayParameters: JsonObject = schema.parametersOf('mgmt-drivers-kubespray', PARAM, kubespraySchema);

/** A part of the parameters that a request repeats as a whole, or the single members of a login. */
const ofOperation = (title: string): JsonObject => {
  const logins = schema.overridingLogins(
    title,
    {
      master_node: 'Login of the masters, for this operation',
      worker_node: 'Login of the workers, for this operation',
      ansible: 'Login of the Ansible server, for this operation',
    },
    topLevel({ ...leaving, verification_image: verificationImage }),
  );
  const repeated = objectOf('Parts of the instantiation’s parameters that are others for this operation', {
    ansible,
    master_node: master,
    worker_node: worker,
    external_lb_param: externalLbSchema,
  });
  return { ...logins, properties: { ...(logins.properties as JsonObject), [PARAM]: repeated } };
};

/** `additionalParams` of operations on a cluster that is there. */
export const kubesprayOperationParameters: NonNullable<DriverDescription['operationParameters']> = {
  SCALE: ofOperation('Scaling a cluster'),
  SCALE_TO_LEVEL: ofOperation('Scaling a cluster to a level'),
  HEAL: ofOperation('Healing a cluster'),
};

/** `k8s_cluster_installation_param` of a cluster that kubespray makes, after the checks of its request, secrets masked. */
export type KubesprayParams = Given<typeof kubespraySchema> & { ansible: Given<typeof ansible> };
export type NodeGroup = Given<typeof worker>;

/** `additionalParams` as steps get them: secrets and all. */
export interface KubespraySecrets {
  [PARAM]: KubesprayParams;
}

/** The driver's parameters in `additionalParams`, of which the schema found that they are there. */
export const kubesprayParams = (additionalParams: JsonObject): KubesprayParams =>
  paramsAs<KubespraySecrets>(additionalParams)[PARAM];

/** The parameters that a request to scale or heal repeats, for that operation alone. */
export const repeatedParams = (requestParams: JsonObject): Partial<KubesprayParams> =>
  paramsAs<Partial<KubespraySecrets>>(requestParams)[PARAM] ?? {};
