import { Secret, type Duration } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import type { OpenStack, VimConnection } from '@windlass/openstack';
import { implementAction, type Action, type ActionContract, type ActionWork, type StepRun } from '@windlass/saga';
import type { Readable } from 'node:stream';

/** What an action of this service works with: one VIM, on behalf of one claim. */
export interface InfraContext<Input> {
  run: StepRun<Input>;
  input: Input;
  /** Its changes are fenced by the claim's lease, its requests end with it. */
  openStack: OpenStack;
  settings: InfraSettings;
  packages: PackageReader;
}

export interface InfraSettings {
  /** The longest that Heat may take for one stack. */
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

/** The connection that a step's input describes. */
export function connectionOf(vim: VimAccess): VimConnection {
  return {
    authUrl: vim.authUrl,
    ...(vim.region === undefined ? {} : { region: vim.region }),
    credentials: {
      kind: 'password',
      username: vim.username,
      password: new Secret(vim.password),
      userDomain: vim.userDomainName,
      project: vim.projectName,
      projectDomain: vim.projectDomainName,
    },
    tls: {
      verify: vim.verifyTls,
      verifyHostname: vim.verifyHostname ?? true,
      ...(vim.ca === undefined ? {} : { ca: vim.ca }),
    },
  };
}
