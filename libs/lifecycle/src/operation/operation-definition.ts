import type { Hook, HookedOperation, NodePortService } from '@windlass/mgmt-driver';
import type { JournalTransaction } from '@windlass/saga';
import type { NamedScript } from '@windlass/user-data';
import { taskOf, vnfdOperationOf, type BodyClass, type InstanceTask, type Plain, type VimKind } from '@windlass/sol003';
import type { ResourcesOf } from './asked-resources.js';
import type { OpOccRecord, TaskStanding, VimChoice, VnfInstanceRecord } from '../records/records.js';
import { RequestError, type JsonObject } from '@windlass/foundation';
import type { LcmStore, PackageRecord } from '../ports.js';
import type { Foresees } from './foreseen.js';
import type { InlineActions } from './inline-run.js';
import type { OperationSaga } from './operation-saga.js';
import type { RegisteredVim } from './registered-vim.js';
import type { ScriptUse } from './script-use.js';
import type { OutlookSubject, RequestOutlook } from './request-outlook.js';

/**
 * Where an operation is asked for (SOL003 5.4): at a task resource below the instance, to which the instance links in the states that the
 * operation may start in, or by a PATCH of the instance itself.
 */
export type OperationRoute = ({ method: 'POST' } & InstanceTask) | { method: 'PATCH' };

/** What checks may look up, for the project of who asks. They change nothing. */
export interface RequestLookups {
  /** The VIM that the operation would work on. @throws RequestError `vim.none`, `vim.unknown` */
  chooseVim(request: JsonObject): Promise<VimChoice>;
  /** The onboarded package of that id or that VNFD, and whether it is ENABLED. */
  package(named: { vnfPkgId: string } | { vnfdId: string }): Promise<{ record: PackageRecord; enabled: boolean } | undefined>;
  /** A file of a package that is known to be a small text. @throws RequestError 400 where it is too large for one */
  packagedText(vnfPkgId: string, path: string): Promise<string>;
  /** What the VIM of that id is registered as in the project; undefined for one that it does not have. */
  vimKindOf(vimId: string): Promise<VimKind | undefined>;
  /** How that VIM is registered, of which nothing secret is told; asked where a request says something of it. @throws RequestError for one that the project has not */
  registeredVim(vimId: string): Promise<RegisteredVim>;
  /** @throws RequestError 400 `user-data.not-runnable` where a script can't be run: by the machine, by what it imports, as no Python, for want of its class */
  requireRunnable(script: NamedScript, of: PackageRecord): Promise<void>;
  /** @throws RequestError 409 `vim.in-use` where another instance uses the cluster that this one is as its VIM */
  refuseUsedCluster(vnfInstanceId: string): Promise<void>;
}

/** A request whose body follows its class, and what it is checked against. */
export interface RequestSubject<Request> {
  request: Request;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  /** The flavour that the operation works with: the request's where it makes the VNF, else the instance's. */
  flavourId: string;
  lookups: RequestLookups;
}

/** An operation that a person has marked as failed, or that was rolled back, in the transaction in which that happens. */
export interface FailedOperation {
  store: LcmStore;
  tx: JournalTransaction;
  opOcc: OpOccRecord;
}

/**
 * Everything that Windlass knows of one operation: a folder that ends in one of these, and a row in `OPERATIONS`. In which states of the instance
 * and of the occurrence what is possible is the standard's matter: `OPERATION_RULES` of `@windlass/sol003` has a row for each of its operations.
 */
export interface OperationDefinition<Body extends object = object> extends OperationSaga {
  route: OperationRoute;
  /** What the request's body is held against. */
  body: BodyClass<Body>;
  /** What its hooks are called after in VNFDs. A driver that lacks a hook that the VNFD binds to it makes the answer a 409. */
  hooks: HookedOperation;
  /** Whether it works on the VIM; one is chosen for it when it begins. */
  usesVim: boolean;
  /** Whether it brings VMs that nobody has seen: host keys in its request are checked. */
  makesVms: boolean;
  /** What it asks an NFVO's grant for, where there is one; null for an operation that needs none. */
  grant: ResourcesOf | null;
  /** The VNF is made by its request: flavour and parameters are the request's, and every driver of the flavour has a say in them. */
  makesVnf?: true;
  /** Every driver of the flavour is asked before the 202, whichever hooks are bound to it: what it does elsewhere may rest on what this changes. */
  concernsDrivers?: true;
  /** The drivers that are asked before the 202, each with its hooks, where they are not those that the VNFD binds to the operation's hooks. */
  asks?: (subject: Pick<RequestSubject<object>, 'package' | 'flavourId'>) => [driver: string, hooks: Hook[]][];
  /** Whether an instance that is in the right state has the task, where not all of them do: it is linked to where it is there, and else a 404. */
  isTaskOf?(standing: TaskStanding): boolean;
  /** Once its stack is gone the instance is NOT_INSTANTIATED, also where the operation has failed after that. */
  endsVnf?: true;
  /**
   * Everything that can be known to be wrong with the request before a driver is asked.
   * @returns the request as it is carried out
   * @throws RequestError with the path of each field that is wrong, or what speaks against it
   */
  checkBeforeDrivers(subject: RequestSubject<Plain<Body>>): Plain<Body> | Promise<Plain<Body>>;
  /**
   * What can only be told of the request as the drivers have normalised it.
   * @returns what a person should know of it although it is no error
   * @throws RequestError as {@link checkBeforeDrivers}
   */
  checkAfterDrivers?(subject: RequestSubject<Plain<Body>>): string[] | Promise<string[]>;
  /**
   * The Services of the type NodePort that the request's manifests have, for the drivers that are asked. Asked once `checkBeforeDrivers` has nothing against it.
   * @throws RequestError as {@link checkBeforeDrivers}
   */
  nodePorts?(subject: RequestSubject<object>): Promise<NodePortService[]>;
  /** How a user data script of the package takes part in it. Absent: none is run, and what an earlier one has computed stays. */
  script?: ScriptUse;
  /** Keys of `additionalParams` that Windlass itself reads; templates, drivers and scripts have their own beside. Absent: none. */
  paramsRead?: readonly string[];
  /** What a driver is told that the request comes to, before its 202; absent: everything stays as it is. Asked once `checkBeforeDrivers` has nothing against it. */
  outlook?(subject: OutlookSubject): RequestOutlook;
  /** What its hooks' drivers will be told, as far as that can be told before: for those who look at its plan before they ask for it. */
  foresees: Foresees;
  /** Its inline steps by the names of their actions; journals of older releases name them, too. */
  inline: InlineActions;
  /** What is kept of an operation that is left as it is, half done. */
  afterFail: (failed: FailedOperation) => Promise<void>;
  /** What is to be done once it was rolled back: where the VNF is what it was, of other resources. */
  afterRollBack?: (rolledBack: FailedOperation) => Promise<void>;
  /** What is otherwise of a VNF on a Kubernetes cluster. Absent of one that uses the VIM: such a VNF does not have it. */
  onKubernetes?: OnKubernetes<Body>;
}

/** The members of a definition that hang on what a VNF is made of. Inline steps of both stand in `inline`. */
export type OnKubernetes<Body extends object = object> = Required<
  Pick<
    OperationDefinition<Body>,
    'plan' | 'grant' | 'checkBeforeDrivers' | 'checkAfterDrivers' | 'outlook' | 'foresees' | 'afterFail'
  >
> &
  Pick<OperationDefinition<Body>, 'afterRollBack' | 'nodePorts'>;

/**
 * The definition as it holds for a VNF in a VIM of that kind.
 * @throws RequestError 409 `vnf-instance.on-kubernetes` for an operation that VNFs on Kubernetes do not have
 */
export function definedFor(definition: OperationDefinition, kind: VimChoice['kind']): OperationDefinition {
  if (kind === undefined || !definition.usesVim) return definition;
  const { onKubernetes, operation } = definition;
  if (onKubernetes !== undefined) return { ...definition, makesVms: false, ...onKubernetes };
  const detail = `${operation} is for VNFs on OpenStack, and this one is on a Kubernetes cluster: change it there by its own means`;
  throw new RequestError(409, 'vnf-instance.on-kubernetes', detail);
}

/**
 * Declares an operation. Where it is asked for and what its hooks are called after is the standard's, by its name. In the table its request's type is
 * forgotten: who goes through that gives it a body that was held against `body`.
 */
export function defineOperation<Body extends object>(
  declared: Omit<OperationDefinition<Body>, 'route' | 'hooks'>,
): OperationDefinition {
  const { operation } = declared;
  const task = taskOf(operation);
  const route: OperationRoute = task === undefined ? { method: 'PATCH' } : { method: 'POST', ...task };
  const definition: OperationDefinition<Body> = { ...declared, route, hooks: vnfdOperationOf(operation) };
  return definition;
}
