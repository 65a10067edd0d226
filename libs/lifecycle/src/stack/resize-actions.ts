import type { JsonObject } from '@windlass/foundation';
import { defineInfraAction, type ReadStackInput, type ReadStackOutput } from './infra-actions.js';
import type { VimAccess } from '../records/vim-access.js';
import type { StackIdentity } from '../records/records.js';

export type SurveyStackInput = ReadStackInput;

export interface SurveyStackOutput extends ReadStackOutput {
  groups: SurveyedGroup[];
}

/** Waits until Heat does nothing to the stack any more, then reads it, its groups included. */
export const surveyStackAction = defineInfraAction<SurveyStackInput, SurveyStackOutput>('survey-stack');

export interface SurveyedGroup {
  /** The group's resource in the top template. */
  name: string;
  members: SurveyedMember[];
}

export interface SurveyedMember {
  /** Heat's own name for it; it keeps it when it is replaced. */
  name: string;
  /** ISO 8601; that of the member, which stays when only a server in it is replaced. */
  createdAt: string;
  /** Heat would replace it, and removes it before all others. */
  failed: boolean;
}

/** A member of a group, by the names that outlive what fills the place. */
export interface MemberName {
  group: string;
  member: string;
}

/** What Heat is asked for so that the stack gets another size. */
export interface StackUpdate {
  /** HOT, YAML. */
  template: string;
  files: Record<string, string>;
  parameters: JsonObject;
  /** Which half of which operation asked last: a stack that carries it has got this update. */
  tags: string[];
}

/** The size to reach, whatever the size is now: asking twice is asking once. */
export interface WantedSize {
  update: StackUpdate;
  /** Members of each group. */
  sizes: Record<string, number>;
  /** These leave, and no others. */
  leaving: MemberName[];
}

/** The size to go back to. Who leaves is known only when it comes to that: all that are not named here. */
export interface EarlierSize {
  update: StackUpdate;
  sizes: Record<string, number>;
  staying: MemberName[];
}

export interface ResizeStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  /** What the stack carries if it is this Windlass's; absent in journals of older releases. */
  deploymentTag?: string;
  stack: StackIdentity;
  wanted: WantedSize;
  /** Null where there is no way back. */
  earlier: EarlierSize | null;
}

/** Brings the stack's groups to the wanted size by one update. Undo takes them back to the earlier one. */
export const resizeStackAction = defineInfraAction<ResizeStackInput, Record<string, never>>('resize-stack');
