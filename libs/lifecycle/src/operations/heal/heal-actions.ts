import { defineInfraAction, type ReadStackInput, type ReadStackOutput } from '../../stack/infra-actions.js';
import type { VimAccess } from '../../records/vim-access.js';
import type { StackUpdate } from '../../stack/resize-actions.js';
import type { StackIdentity } from '../../records/records.js';

/** A VNFC that is to be healed, as it stood when the operation began: what heal compares with to know that it is done. */
export interface HealTarget {
  /** vnfcResourceInfo.id */
  vnfcId: string;
  vduId: string;
  /** The server. */
  server: HealedResource;
  /** Its volumes that are replaced with it. */
  volumes: HealedResource[];
  /** Why the server is deleted before Heat makes its replacement; null where Heat does both in its own order. See ADR 8. */
  deletedFirst: 'anti-affinity' | 'keeps-volumes' | null;
}

/** A resource of the stack that is to be replaced. */
export interface HealedResource {
  /** Resource names from the top stack down: a replacement stands where the old one stood. */
  path: string[];
  /** What is to go; null where an earlier failure left nothing there. */
  physicalId: string | null;
}

export interface FindHealTargetsInput extends ReadStackInput {
  /** vnfcResourceInfo ids; null: all. */
  vnfcIds: string[] | null;
  includesStorage: boolean;
  /** The stack will be deleted and made anew: it may be in any state, or gone. */
  recreates: boolean;
}

export interface FindHealTargetsOutput {
  /** Null where a stack that is to be made anew is gone already. */
  resources: ReadStackOutput | null;
  /** None where the stack is made anew. */
  targets: HealTarget[];
}

/** Waits until Heat is at rest, reads the stack, and finds the named VNFCs in it. Changes nothing. */
export const findHealTargetsAction = defineInfraAction<FindHealTargetsInput, FindHealTargetsOutput>('find-heal-targets');

export interface MarkUnhealthyInput {
  vim: VimAccess;
  vnfInstanceId: string;
  /** What the stack carries if it is this Windlass's; absent in journals of older releases. */
  deploymentTag?: string;
  stack: Required<StackIdentity>;
  targets: HealTarget[];
}

/** Marks the targets, so that the next update replaces them. The undo removes the marks. */
export const markUnhealthyAction = defineInfraAction<MarkUnhealthyInput>('mark-unhealthy');

export interface ReplaceServersInput extends MarkUnhealthyInput {
  /** What the stack is given with it; absent or null where nothing changes but the servers. */
  update?: StackUpdate | null;
}

/** Has Heat replace what is marked, and waits until each target's server has a new id and the stack is complete. */
export const replaceServersAction = defineInfraAction<ReplaceServersInput>('replace-servers');
