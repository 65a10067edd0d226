import { params, paramsAs, schema, type Given, type GivenTopLevel } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';

const { named, needed, noProxy, objectOf, parameter, path, proxyUrl, sshMachineOf, text } = params;

// Each parameter of the driver stands here once: its name, its schema, and with it the type that plans read.

/** Where the driver's parameters lie in `additionalParams`. */
export const PARAM = 'private_registry_installation_param';

export const DEFAULT_PORT = 5000;

const BASE64 = String.raw`[A-Za-z0-9+/=\s]+`;

/** Certificates and nothing else: a key among them would be shown with them. */
const CERTIFICATES = String.raw`^(-----BEGIN CERTIFICATE-----${BASE64}-----END CERTIFICATE-----\s*)+$`;

/** As openssl writes it, with or without a curve's parameters before it. An encrypted one has other lines. */
const KEY = `^(-----BEGIN EC PARAMETERS-----${BASE64}-----END EC PARAMETERS-----${String.raw`\s+`})?-----BEGIN (RSA |EC )?PRIVATE KEY-----${BASE64}-----END (RSA |EC )?PRIVATE KEY-----${String.raw`\s*$`}`;

/** An image as Docker takes it, with a tag, a digest, or both. */
const IMAGE = '^[a-z0-9][a-z0-9._/:-]{0,255}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$';

/** The login of the registry, and the certificate that proves the registry. Absent members are not used. */
const access = {
  // A colon would end the name in the file of users, and # at its beginning would make the line a comment.
  registry_username: text('User of the registry', '^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$'),
  // bcrypt takes 72 bytes. Clients encode other characters than ASCII in more than one way.
  registry_password: parameter<string | number>({
    type: ['string', 'number'],
    title: 'Password of the user',
    pattern: '^[ -~]{1,72}$',
    writeOnly: true,
  }),
  // The registry's own first, then those between it and its authority.
  tls_certificate: text('Certificate of the registry, PEM, with those between it and its CA', CERTIFICATES, {
    maxLength: 65_536,
  }),
  tls_key: text('Private key of the certificate, PEM, not encrypted', KEY, { maxLength: 16_384, writeOnly: true }),
};

const proxy = objectOf('Proxies of the VM, each by itself', {
  http_proxy: proxyUrl('For http'),
  https_proxy: proxyUrl('For https'),
  no_proxy: noProxy,
});

/** `private_registry_installation_param`. */
export const registrySchema = sshMachineOf('The registry to be installed', {
  ssh_cp_name: needed(named('CP whose address is logged in to')),
  image_path: path('Image of the registry in the package, as docker save makes it; it is pulled unless given'),
  registry_image: text('Image that is pulled where the package has none', IMAGE),
  registry_cp_name: named('CP whose address the registry listens at; that of ssh_cp_name where the VM has no other'),
  ...access,
  port_no: parameter<number | string>({
    type: ['integer', 'string'],
    pattern: '^[0-9]{1,5}$',
    default: DEFAULT_PORT,
    title: 'Port of the registry',
  }),
  proxy,
});

/** `private_registry_installation_param` after the schema's check, secrets masked. */
export type RegistryParams = Given<typeof registrySchema>;
export type RegistryProxies = Given<typeof proxy>;
export type AccessParams = GivenTopLevel<typeof access>;

/** `additionalParams` as steps get them: secrets and all. */
export interface SecretParams {
  [PARAM]: RegistryParams;
}

export const registryParams = (additionalParams: JsonObject): RegistryParams => paramsAs<SecretParams>(additionalParams)[PARAM];

/** What a heal says of the registry; an empty object where it says nothing. */
export const accessParams = (additionalParams: JsonObject): AccessParams =>
  paramsAs<{ [PARAM]?: AccessParams }>(additionalParams)[PARAM] ?? {};

/** The port that the registry is reached at. */
export const portOf = ({ port_no: port = DEFAULT_PORT }: RegistryParams): number => Number(port);

/** JSON Schema (2020-12) of `additionalParams`. */
export const parameters: JsonObject = schema.parametersOf('mgmt-drivers-private-registry', PARAM, registrySchema);

/** `additionalParams` of operations on a registry that is there. */
export const operationParameters: NonNullable<DriverDescription['operationParameters']> = {
  HEAL: {
    type: 'object',
    title: 'Healing a registry',
    properties: { [PARAM]: objectOf('Login and certificate of the registry, for this operation', access) },
  },
};
