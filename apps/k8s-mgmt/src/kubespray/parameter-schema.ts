import { schema } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { leaving } from '../kubeadm/checks/check-operation.js';
import { access, proxy, verificationImage } from '../kubeadm/parameters/parameter-schema.js';
import { PARAM } from '../kubeadm/parameters/parameters.js';
import { externalLbSchema } from '../external-lb/parameters.js';

const { cidr, CONTROL, machineOf, named, objectOf, overridingLogins, parametersOf, text } = schema;

/** A name of a folder or a file but for `..`. */
const SEGMENT = String.raw`\.|\.?[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*|\.\.[A-Za-z0-9._@+-]+`;

/**
 * An absolute path on the Ansible server. It stands in options of ssh and in an inventory, where blanks and quotes mean something; `..` would lead out
 * of it.
 */
const serverPath = (title: string): JsonObject => text(title, `^/(${SEGMENT})(/(${SEGMENT}|))*$`, { maxLength: 513 });

const ansible = machineOf(
  'The Ansible server, which has kubespray',
  {
    ip_address: text('Its address', '^[0-9A-Fa-f.:]{2,45}$'),
    kubespray_root_path: serverPath('Folder of kubespray there'),
    transferring_inventory_path: serverPath('Folder there in which this VNF instance gets a folder of its own for its inventory'),
    inventory_format: { enum: ['yaml', 'ini'], default: 'yaml', title: 'How the inventory is written' },
  },
  ['ip_address', 'kubespray_root_path', 'transferring_inventory_path'],
);

const nic = { nic_cp_name: named('CP in the cluster’s network; ssh_cp_name unless given') };

const master = machineOf(
  'The control plane nodes',
  {
    ...access,
    ...nic,
    pod_cidr: cidr('Addresses of pods; kubespray’s own unless given'),
    cluster_cidr: cidr('Addresses of services; kubespray’s own unless given'),
    cluster_cp_name: named('Known from the other driver; not used'),
    cluster_fip_name: named('Known from the other driver; not used'),
  },
  ['ssh_cp_name'],
);

const worker = machineOf('The worker nodes', { ...access, ...nic }, ['ssh_cp_name']);

/** `k8s_cluster_installation_param` of this driver. */
export const kubespraySchema: JsonObject = objectOf(
  'The cluster to be installed',
  {
    script_path: text('Known from the other driver; never read, and may be empty', `^[^${CONTROL}]*$`, { maxLength: 1_024 }),
    vim_name: text('Name of the VIM that the cluster becomes', `^[^${CONTROL}]{1,255}$`),
    verification_image: verificationImage,
    ansible,
    master_node: master,
    worker_node: worker,
    proxy,
    external_lb_param: externalLbSchema,
  },
  // The document has ansible 0..1: without it the check of the request says what is to be given.
  ['master_node', 'worker_node'],
);

/** JSON Schema (2020-12) of `additionalParams`. */
export const kubesprayParameters: JsonObject = parametersOf('mgmt-drivers-kubespray', PARAM, kubespraySchema);

/** A part of the parameters that a request repeats as a whole, or the single members of a login. */
const ofOperation = (title: string): JsonObject => {
  const logins = overridingLogins(
    title,
    {
      master_node: 'Login of the masters, for this operation',
      worker_node: 'Login of the workers, for this operation',
      ansible: 'Login of the Ansible server, for this operation',
    },
    { ...leaving, verification_image: verificationImage },
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
