import type { Hook, HookedOperation, NodePortService } from '@windlass/mgmt-driver';
import type { JournalTransaction } from '@windlass/saga';
import type { NamedScript } from '@windlass/user-data';
import { taskOf, vnfdOperationOf, type BodyClass, type InstanceTask, type Plain, type VimKind } from '@windlass/sol003';
import type { ResourcesOf } from './asked-resources.js';
import type { OpOccRecord, TaskConditions, VimChoice, VnfInstanceRecord } from '../records/records.js';
import { RequestError, type JsonObject } from '@windlass/foundation';
import type { LcmStore, PackageRecord } from '../ports.js';
import type { PredictDrafts } from './predicted-drafts.js';
import type { InlineActions } from './inline-run.js';
import type { OperationSaga } from './operation-saga.js';
import type { RegisteredVim } from './registered-vim.js';
import type { ScriptUse } from './script-use.js';
import type { EffectSubject, RequestEffect } from './request-effect.js';

/**
 * Where an operation is asked for (SOL003 5.4): at a task resource below the instance, or by a PATCH of the instance itself. The instance links to
 * the task resource in the states in which the operation may start.
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
  /** The kind that the VIM of that id is registered as; undefined for a VIM that the project does not have. */
  vimKindOf(vimId: string): Promise<VimKind | undefined>;
  /**
   * The registration of that VIM, without secrets; asked where a request describes the VIM. @throws RequestError for a VIM that the project does not
   * have
   */
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
 * Everything that Windlass knows of one operation: a folder that ends in one of these, and a row in `OPERATIONS`. The standard decides what is
 * possible in which states of the instance and the occurrence: `OPERATION_RULES` of `@windlass/sol003` has a row for each of its operations.
 */
export interface OperationDefinition<Body extends object = object> extends OperationSaga {
  route: OperationRoute;
  /** What the request's body is held against. */
  body: BodyClass<Body>;
  /** The word with which its hooks' names begin in VNFDs. The answer is 409 where a driver lacks a hook that the VNFD binds to it. */
  hooks: HookedOperation;
  /** Whether it works on the VIM; the VIM is chosen when the operation begins. */
  usesVim: boolean;
  /** Whether it makes VMs: then the host keys in its request are checked. */
  makesVms: boolean;
  /** What it asks an NFVO's grant for, where there is one; null for an operation that needs none. */
  grant: ResourcesOf | null;
  /** Its request makes the VNF: flavour and parameters are the request's, and every driver of the flavour checks them. */
  makesVnf?: true;
  /** Every driver of the flavour is asked before the 202, whichever hooks are bound to it: a driver may depend on what this operation changes. */
  concernsDrivers?: true;
  /** The drivers to ask before the 202, each with its hooks. Absent: those that the VNFD binds to the operation's hooks. */
  asks?: (subject: Pick<RequestSubject<object>, 'package' | 'flavourId'>) => [driver: string, hooks: Hook[]][];
  /**
   * Whether an instance in the right state has the task, where not all instances do. Such an instance links to the task; for others the answer is
   * 404.
   */
  isTaskOf?(conditions: TaskConditions): boolean;
  /** Once its stack is gone the instance is NOT_INSTANTIATED, even where the operation fails after that. */
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
  /**
   * What the request comes to, for drivers that are asked before the 202; absent: nothing changes. Called after `checkBeforeDrivers` has accepted the
   * request.
   */
  effect?(subject: EffectSubject): RequestEffect;
  /** What its hooks' drivers will be told, as far as known, for a plan that is shown before the operation is asked for. */
  predictDrafts: PredictDrafts;
  /** Its inline steps by the names of their actions; journals of older releases name them, too. */
  inline: InlineActions;
  /** Records what is left of an operation that was marked as failed half-way. */
  afterFail: (failed: FailedOperation) => Promise<void>;
  /** What is done after a roll-back, where the VNF is as before but of different resources. */
  afterRollBack?: (rolledBack: FailedOperation) => Promise<void>;
  /**
   * The members that differ for a VNF on a Kubernetes cluster. Absent for an operation that uses the VIM: VNFs on a cluster do not have that
   * operation.
   */
  onKubernetes?: OnKubernetes<Body>;
}

/** The members of a definition that depend on what a VNF is made of. `inline` holds the inline steps of both kinds. */
export type OnKubernetes<Body extends object = object> = Required<
  Pick<
    OperationDefinition<Body>,
    'plan' | 'grant' | 'checkBeforeDrivers' | 'checkAfterDrivers' | 'effect' | 'predictDrafts' | 'afterFail'
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
 * Declares an operation. Its route and the names of its hooks come from the standard, by the operation's name. The table forgets its request's type, so
 * a caller through the table passes a body that was checked against `body`.
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
