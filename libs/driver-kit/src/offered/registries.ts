import { shape, type TypeOf } from '@windlass/foundation';
import { defineAction } from '@windlass/saga';
import { packageFile } from '../files/package-files.js';
import { machineInput } from '../host/machine-input.js';
import { exactly, hostName, inputSchema, name, path, secret } from '../inputs/input-shapes.js';
import { hostStep } from './inputs.js';

/** Whose workers connect nodes to registries. */
export const REGISTRY_SERVICE = 'registry-mgmt';

const registry = exactly({
  /** `host` or `host:port`, as it stands in names of images. */
  server: hostName,
  /**
   * The beginning of the path of images that the login is for, such as a project's; all images of the registry unless given. An entry with a project
   * has a login of its own.
   */
  project: shape.optional(path),
  scheme: shape.oneOf(['http', 'https']),
  /** The login of pulls; give both members or neither. */
  username: shape.optional(name),
  password: shape.optional(secret),
  /** CA certificates in PEM, in the package; the system's alone unless given. */
  certificate: shape.optional(packageFile),
  /** A line of `/etc/hosts`. */
  hosts: shape.optional(exactly({ address: hostName, names: shape.list({ minItems: 1, maxItems: 20, items: hostName }) })),
});

/** A registry of container images, as a node gets to know it. */
export type RegistryInput = TypeOf<typeof registry>;

const connectRegistriesInput = hostStep({
  machine: machineInput,
  /** All registries that the machine shall know. A registry of an earlier step that is absent here is removed. */
  registries: shape.list({ maxItems: 100, items: registry }),
});

/** Input of {@link connectRegistries}. */
export type ConnectRegistriesInput = TypeOf<typeof connectRegistriesInput>;

/** Has a machine's containerd and kubelet pull from registries. Its containerd is installed. */
export const connectRegistries = defineAction<ConnectRegistriesInput>({
  service: REGISTRY_SERVICE,
  name: 'connect-registries',
  version: 1,
  accepts: inputSchema(connectRegistriesInput),
});
