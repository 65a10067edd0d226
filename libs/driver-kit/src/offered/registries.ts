import { defineAction } from '@windlass/saga';
import type { PackageFileRef } from '../files/package-files.js';
import type { MachineStepInput } from '../host/host-context.js';
import { hostName, input, machine, packageFile } from './inputs.js';

/** Whose workers connect nodes to registries. */
export const REGISTRY_SERVICE = 'registry-mgmt';

/** A registry of container images, as a node gets to know it. */
export interface RegistryInput {
  /** `host` or `host:port`, as it stands in names of images. */
  server: string;
  /**
   * The beginning of the path of images that the login is for, such as a project's; all images of the registry unless given. An entry with a project
   * has a login of its own.
   */
  project?: string;
  scheme: 'http' | 'https';
  /** The login of pulls; give both members or neither. */
  username?: string;
  password?: string | number;
  /** CA certificates in PEM, in the package; the system's alone unless given. */
  certificate?: PackageFileRef;
  /** A line of `/etc/hosts`. */
  hosts?: { address: string; names: string[] };
}

/** Input of {@link connectRegistries}. */
export interface ConnectRegistriesInput extends MachineStepInput {
  /** All registries that the machine shall know. A registry of an earlier step that is absent here is removed. */
  registries: RegistryInput[];
}

/** Has a machine's containerd and kubelet pull from registries. Its containerd is installed. */
export const connectRegistries = defineAction<ConnectRegistriesInput>({
  service: REGISTRY_SERVICE,
  name: 'connect-registries',
  version: 1,
  accepts: input({
    machine,
    registries: {
      type: 'array',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['server', 'scheme'],
        properties: {
          server: hostName,
          project: { type: 'string', minLength: 1, maxLength: 1_024 },
          scheme: { enum: ['http', 'https'] },
          username: { type: 'string', minLength: 1, maxLength: 255 },
          password: { type: ['string', 'number'] },
          certificate: packageFile,
          hosts: {
            type: 'object',
            required: ['address', 'names'],
            properties: { address: hostName, names: { type: 'array', minItems: 1, maxItems: 20, items: hostName } },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
  }),
});
