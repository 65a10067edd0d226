import { InvariantError, Secret, type Duration, type Json } from '@windlass/foundation';
import type { VimAccess } from '@windlass/lifecycle';
import type { OpenStack, VimConnection } from '@windlass/openstack';
import type { StepRun } from '@windlass/saga';
import type { Readable } from 'node:stream';

/** What an action of this service works with: one VIM, on behalf of one claim. */
export interface InfraContext<Input> {
  run: StepRun;
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
}

/** Reads files of VNF packages, wherever they are kept. */
export interface PackageReader {
  /** The bytes of one member, from the beginning. */
  open(vnfPkgId: string, path: string, signal: AbortSignal): Readable;
}

/** A step's input as its action declares it; what doesn't fit is a bug of the plan's author. */
export function inputOf<Input>(run: StepRun, ...members: (keyof Input & string)[]): Input {
  for (const member of members) {
    if ((run.input as Record<string, Json | undefined>)[member] === undefined) {
      throw new InvariantError(`step ${run.stepId} has no input "${member}"`);
    }
  }
  return run.input as unknown as Input;
}

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
