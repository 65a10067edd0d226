import { loginAddress } from '../driver/cidr.js';
import { Secret, shape, TerminalError, type JsonObject, type OfMembers, type TypeOf } from '@windlass/foundation';
import { SOURCES, type HostTarget, type Vnfc } from '@windlass/mgmt-driver';
import { source, sourced, type GivenInput, type PathTo, type Ref, type Source } from '@windlass/saga';
import { exactly, name, secret } from '../inputs/input-shapes.js';

const login = {
  username: name,
  /** For the login, and for sudo where that asks. Schemas of parameters take a number for it too. */
  password: shape.optional(secret),
  /** OpenSSH or PEM. */
  private_key: shape.optional(shape.text()),
  /** Of the private key. */
  passphrase: shape.optional(secret),
};

/** How to log in, as parameters have it: by password, by key, or by either. */
export type Login = OfMembers<typeof login>;

/** Members of a {@link MachineInput}. */
export const machineMembers = {
  /** As people know it: in messages. */
  name,
  vnfc: shape.anObject<Vnfc>(),
  /** The CP whose address is logged in to; a floating IP of it comes first. */
  sshCp: name,
  ...login,
};

/** The shape of a {@link MachineInput}. */
export const machineInput = exactly(machineMembers);

/** A VM as a step's input has it, references resolved: which it is, and how to log in. */
export type MachineInput = TypeOf<typeof machineInput>;

/**
 * A server of the operator's that is no VNFC, in a step's input. Steps work there as the user who logs in, and as root only with {@link
 * ServerInput.root}.
 */
export interface ServerInput extends Login {
  /** As people know it: in messages. */
  name: string;
  /** {@link serverId}: its host key is pinned under this. */
  id: string;
  /** IPv4 or IPv6. */
  address: string;
  /** Who logs in may become root, and does where a step needs it. Absent: never. */
  root?: true;
}

/** The id under which a VNF instance knows a server of the operator's. The registry pins host keys under it for claims of that instance alone. */
export const serverId = (vnfInstanceId: string, address: string): string => `${vnfInstanceId}:${address}`;

/** What a machine's host key is pinned under. */
export const resourceOf = (machine: MachineInput | ServerInput): string =>
  'vnfc' in machine ? machine.vnfc.resourceId : machine.id;

/**
 * Where a machine is and how to get in.
 * @throws TerminalError `node.no-address` where its CP has none
 */
export function targetOf(machine: MachineInput | ServerInput): HostTarget {
  const { username, password, private_key: privateKey, passphrase } = machine;
  return {
    ...('vnfc' in machine ? placeOf(machine) : serverPlaceOf(machine)),
    username,
    ...(password === undefined ? {} : { password: new Secret(String(password)) }),
    ...(privateKey === undefined ? {} : { privateKey: new Secret(privateKey) }),
    ...(passphrase === undefined ? {} : { passphrase: new Secret(String(passphrase)) }),
  };
}

const serverPlaceOf = ({ id, address, root }: ServerInput): Pick<HostTarget, 'resourceId' | 'address' | 'privileges'> => ({
  resourceId: id,
  address,
  privileges: root === true ? 'sudo' : 'none',
});

function placeOf({ vnfc, sshCp }: MachineInput): Pick<HostTarget, 'resourceId' | 'address' | 'createdAt'> {
  const cp = vnfc.cps.find(({ cpdId }) => cpdId === sshCp);
  const address = loginAddress(cp);
  if (address === undefined)
    throw new TerminalError('node.no-address', `the CP ${sshCp} of ${vnfc.name} has no address to log in to`);
  return { resourceId: vnfc.resourceId, address, ...(vnfc.createdAt === null ? {} : { createdAt: vnfc.createdAt }) };
}

/** Which machine a step works on, and where its login stands. */
export interface MachineGiven<Params> {
  name: string;
  vnfcId: string;
  sshCp: string;
  /** The instantiation's `additionalParams`; see {@link paramsSource}. */
  params: Source<Params>;
  login: (params: PathTo<Params>) => PathTo<Login>;
  /** The same login as the hook shows it, with masked secrets: members that are absent here are not referred to. */
  shown: Login;
  /** What the request of this operation gives in its place; see {@link overridingLogin} and {@link loginOf}. */
  override?: LoginReference;
}

/** The parts of a login that are there, each pointing at where it stands. */
export type LoginReference = { readonly [K in keyof Login]?: Ref<Exclude<Login[K], undefined>> };

/**
 * A {@link MachineInput} for a plan. Machine, address and login are put in when the step is claimed, so the plan holds no secret. Where a request
 * overrides password or key, only its secrets are used; where it overrides the user name alone, the instantiation's are.
 */
export function machineReference<Params>(given: MachineGiven<Params>): GivenInput<MachineInput> {
  const { name, vnfcId, sshCp, params, login, shown, override = {} } = given;
  const { username = sourced(params, (of) => login(of).username), ...secrets } = override;
  const overrides = secrets.password !== undefined || secrets.private_key !== undefined;
  const { username: _fallback, ...before } = loginOf(params, login, shown);
  return { name, sshCp, vnfc: sourced(source<Vnfc>(SOURCES.vnfc(vnfcId))), username, ...(overrides ? secrets : before) };
}

/**
 * A login that stands in parameters as an object, by its parts: one of v2's requests to scale or heal, which repeat the instantiation's parameters.
 * @param shown the same as the hook shows it: what is not there is not pointed at
 */
export const loginOf = <Params>(
  params: Source<Params>,
  login: (params: PathTo<Params>) => PathTo<Login>,
  shown: Partial<Login>,
): LoginReference => ({
  ...(shown.username === undefined ? {} : { username: sourced(params, (of) => login(of).username) }),
  ...(shown.password === undefined ? {} : { password: sourced(params, (of) => login(of).password) }),
  ...(shown.private_key === undefined ? {} : { private_key: sourced(params, (of) => login(of).private_key) }),
  ...(shown.passphrase === undefined ? {} : { passphrase: sourced(params, (of) => login(of).passphrase) }),
});

/** A {@link Login} whose members' names begin with `ssh_`, as parameters of machines have it that are no nodes; see `schema.machineOf`. */
export type SshLogin = { [K in keyof Login as `ssh_${K}`]: Login[K] };

/**
 * The login of a {@link MachineInput}, from such an object in parameters.
 * @param shown the same as the hook shows it: what is not there is not pointed at
 */
export const sshLoginOf = <Params>(
  params: Source<Params>,
  login: (params: PathTo<Params>) => PathTo<SshLogin>,
  shown: SshLogin,
): GivenInput<Login> => ({
  username: sourced(params, (of) => login(of).ssh_username),
  ...(shown.ssh_password === undefined ? {} : { password: sourced(params, (of) => login(of).ssh_password) }),
  ...(shown.ssh_private_key === undefined ? {} : { private_key: sourced(params, (of) => login(of).ssh_private_key) }),
  ...(shown.ssh_passphrase === undefined ? {} : { passphrase: sourced(params, (of) => login(of).ssh_passphrase) }),
});

/** Members of a request's `additionalParams` that override a login for its operation: `master_node_username`, `master_node_password` and so on. */
export type OverridingLogin<Prefix extends string> = { [K in keyof Login as `${Prefix}_${K}`]?: Login[K] };

/**
 * What a request overrides of a login, by members whose names begin with the prefix; see `schema.overridingLogins`.
 * @param requestParams as the hook shows them
 */
export function overridingLogin(prefix: string, requestParams: JsonObject): LoginReference {
  const parts = (['username', 'password', 'private_key', 'passphrase'] as const).filter(
    (part) => requestParams[`${prefix}_${part}`] !== undefined,
  );
  return Object.fromEntries(parts.map((part) => [part, sourced(SOURCES.requestParams, `/${prefix}_${part}`)])) as LoginReference;
}

/** `additionalParams` in the type that their schema gives them, which lcm-api compared them with; secrets masked where they are shown so. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one place where a driver says what its schema holds
export const paramsAs = <Params>(additionalParams: JsonObject): Params => additionalParams as Params;

/** The instantiation's `additionalParams` as a source of inputs, in the type that their schema gives them, secrets and all. */
export const paramsSource = <Params>(): Source<Params> => source<Params>(SOURCES.instantiateParams);

/** The same of this operation's `additionalParams`: what a request overrides counts for its operation alone. */
export const requestParamsSource = <Params>(): Source<Params> => source<Params>(SOURCES.requestParams);
