import { paramsAs, schema, type Proxies } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';

/** Where the driver's parameters lie in `additionalParams`. */
export const PARAM = 'private_registry_installation_param';

export const DEFAULT_PORT = 5000;

/** Proxies of the VM, each by itself. */
export interface RegistryProxies extends Proxies {
  no_proxy?: string;
}

/** `private_registry_installation_param` after the schema's check, secrets masked. */
export interface RegistryParams {
  ssh_cp_name: string;
  ssh_username: string;
  ssh_password?: string | number;
  ssh_private_key?: string;
  ssh_passphrase?: string | number;
  /** A file of the package that `docker save` made. */
  image_path?: string;
  port_no?: number | string;
  proxy?: RegistryProxies;
}

/** `additionalParams` as steps get them: secrets and all. */
export interface SecretParams {
  [PARAM]: RegistryParams;
}

export const registryParams = (additionalParams: JsonObject): RegistryParams => paramsAs<SecretParams>(additionalParams)[PARAM];

/** The port that the registry is reached at. */
export const portOf = ({ port_no: port = DEFAULT_PORT }: RegistryParams): number => Number(port);

const { machineOf, named, noProxy, objectOf, parametersOf, path, proxyUrl } = schema;

/** `private_registry_installation_param`. */
export const registrySchema: JsonObject = machineOf(
  'The registry to be installed',
  {
    ssh_cp_name: named('CP whose address is logged in to'),
    image_path: path('Image of the registry in the package, as docker save makes it; it is pulled unless given'),
    port_no: { type: ['integer', 'string'], pattern: '^[0-9]{1,5}$', default: DEFAULT_PORT, title: 'Port of the registry' },
    proxy: objectOf('Proxies of the VM, each by itself', {
      http_proxy: proxyUrl('For http'),
      https_proxy: proxyUrl('For https'),
      no_proxy: noProxy,
    }),
  },
  ['ssh_cp_name'],
  'ssh_',
);

/** JSON Schema (2020-12) of `additionalParams`. */
export const parameters: JsonObject = parametersOf('mgmt-drivers-private-registry', PARAM, registrySchema);
