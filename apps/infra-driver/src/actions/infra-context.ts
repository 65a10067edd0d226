import { minutes, Secret, type Duration } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import type { OpenStack, StackWait, VimConnection } from '@windlass/openstack';
import { implementAction, type Action, type ActionContract, type ActionWork, type StepRun } from '@windlass/saga';
import type { Readable } from 'node:stream';
import type { WaitingLooks } from '../looks/waiting-looks.js';

/** What an action of this service works with: one VIM, on behalf of one claim. */
export interface InfraContext<Input> {
  run: StepRun<Input>;
  input: Input;
  /** Its changes are fenced by the claim's lease, its requests end with it. */
  openStack: OpenStack;
  settings: InfraSettings;
  packages: PackageReader;
  /** Turns for looks, of runs that hold no place while they wait. */
  looks: WaitingLooks;
}

export interface InfraSettings {
  /** The longest that Heat may take for one stack; its own limit (`heatTimeoutMinutes`) follows. */
  stackWithin: Duration;
  /** How long a stack that was never seen must stay absent before its creation is taken for not having happened: Heat's own RPC time-out. */
  absentFor: Duration;
  /** The longest that the objects of one VNF may take on a cluster to be ready, or to be gone. */
  objectsWithin: Duration;
  /** How long nothing may move in the upload of an image. */
  imageMovesWithin: Duration;
  /** The Python that runs packages' scripts. */
  python: string;
  /** The longest that a script of a package may take. */
  scriptWithin: Duration;
}

/** How long before our own limit Heat ends by its limit, at most a fifth of the time: Heat's own error tells more than ours. */
const HEAT_ENDS_BEFORE = minutes(5);

/**
 * `timeout_mins` of what Heat is asked for, from the longest that Heat may take: 20 of 25 minutes, 85 of 90. Whole minutes, 1 at least. Heat
 * takes the limit of the last creation or update for the deletion, too.
 */
export function heatTimeoutMinutes({ stackWithin }: Pick<InfraSettings, 'stackWithin'>): number {
  const limit = stackWithin - Math.min(HEAT_ENDS_BEFORE, stackWithin / 5);
  return Math.max(1, Math.floor(limit / minutes(1)));
}

/** How Heat's work is waited for, and what lengthens it. */
export const stackWait = ({ settings, run }: Pick<InfraContext<unknown>, 'settings' | 'run'>): StackWait => ({
  within: settings.stackWithin,
  signal: run.signal,
  setting: 'STACK_WITHIN of the infra-driver',
});

/**
 * Whether no earlier claim of this step can have had an effect, so that there is none to look for. The first attempt of a retry does not count:
 * earlier claims of the operation precede it.
 */
export const isFirstClaim = ({ epoch }: Pick<StepRun, 'epoch'>): boolean => epoch === 1;

/** Reads files of VNF packages, wherever they are kept. */
export interface PackageReader {
  open(vnfPkgId: string, path: string, signal: AbortSignal): Promise<PackagedFile>;
}

/** A member of a package. */
export interface PackagedFile {
  /** As the archive says. */
  size: number;
  /** Its bytes from the beginning; may be called again. */
  bytes: () => Readable;
}

/** Binds this service's work to the contract of an action. */
export const infraAction = <Input, Output>(
  contract: ActionContract<Input, Output>,
  work: ActionWork<InfraContext<Input>, NoInfer<Output>>,
): Action<InfraContext<Input>, Input, Output> => implementAction(contract, work);

/** What a VIM's project is called in a message. */
export const projectOf = ({ projectName, projectId }: VimAccess): string =>
  projectName === '' ? (projectId ?? '') : projectName;

/** The connection that a step's input describes. */
export function connectionOf(vim: VimAccess): VimConnection {
  return {
    authUrl: vim.authUrl,
    ...(vim.region === undefined ? {} : { region: vim.region }),
    credentials: {
      kind: 'password',
      username: vim.username,
      password: new Secret(vim.password),
      userDomain: vim.userDomainId === undefined ? vim.userDomainName : { id: vim.userDomainId },
      project: vim.projectId === undefined ? vim.projectName : { id: vim.projectId },
      projectDomain: vim.projectDomainId === undefined ? vim.projectDomainName : { id: vim.projectDomainId },
    },
    tls: {
      verify: vim.verifyTls,
      verifyHostname: vim.verifyHostname ?? true,
      ...(vim.ca === undefined ? {} : { ca: vim.ca }),
    },
  };
}
