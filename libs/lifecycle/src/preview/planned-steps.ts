import { SOURCES } from '@windlass/mgmt-driver';
import { sourcesOf, type Plan, type PlanNode, type StepNode } from '@windlass/saga';
import { hostOfLimit, vimOfLimit } from '../records/limit-keys.js';
import type { KnownDuration, KnownDurations } from './known-durations.js';

/** A VM that a step works on. */
export interface PlannedVm {
  /** Its server's name; of one that is to come, its VDU and which of them. */
  name: string;
  isToCome: boolean;
}

/** A step that an operation would run. Nothing of its input is shown. */
export interface PlannedStep {
  kind: 'step';
  /** The id in the journal. Where that id depends on what the VIM will choose, the action and the VM, or a number. */
  id: string;
  action: string;
  version: number;
  service: string;
  /** What it works on, for people. */
  target: string | null;
  vms: PlannedVm[];
  /** The VIM that it asks something of, by its id. */
  vim: string | null;
  /** Ids of steps that it waits for beside those that its place makes it wait for. */
  after?: string[];
  /** Whether a roll-back takes back what it did; a roll-back passes over others. */
  undoable: boolean;
  /** Once it is begun nothing can be rolled back any more. */
  pivot: boolean;
  /** How long it took the last times; null where that is not known yet. */
  duration: KnownDuration | null;
  /** Of a step that asks a driver: the plan that it becomes, or why there is none to be shown. */
  hook?: { driver: string; plan?: PlannedNode; refusal?: { code: string; detail: string } };
}

/** A plan as it is shown: as {@link PlanNode}, with what a person wants to know of each step. */
export type PlannedNode =
  PlannedStep | { kind: 'sequence'; of: PlannedNode[] } | { kind: 'parallel'; of: PlannedNode[]; limit?: number };

/** What is needed to show steps to people. */
export interface ShownBy {
  durations: KnownDurations;
  /** VMs by the id of their VNFC and that of their server. */
  vms: ReadonlyMap<string, PlannedVm>;
}

/** The plan of a saga. */
export const planned = ({ root }: Plan, by: ShownBy): PlannedNode => new Shown('', by).node(root, root);

/**
 * The plan of a driver, made twice: for the VMs as they are made up in one world and in the other. Where the two plans differ, nobody knows the value
 * yet.
 */
export const plannedBelow = (hookId: string, one: Plan, other: Plan, by: ShownBy): PlannedNode =>
  new Shown(`${hookId}/`, by).node(one.root, other.root);

class Shown {
  readonly #ids = new Set<string>();
  /** What the steps so far are shown as, by their ids in the plan. */
  readonly #shown = new Map<string, string>();

  constructor(
    private readonly prefix: string,
    private readonly by: ShownBy,
  ) {}

  /** @param other the node at the same place; undefined where that plan has none such */
  node(node: PlanNode, other: PlanNode | undefined): PlannedNode {
    if (node.kind === 'step') return this.#step(node, other?.kind === 'step' && other.action === node.action ? other : undefined);
    const others = other?.kind === node.kind ? other.of : [];
    const of = node.of.map((child, index) => this.node(child, others[index]));
    if (node.kind === 'sequence') return { kind: 'sequence', of };
    return { kind: 'parallel', of, ...(node.limit === undefined ? {} : { limit: node.limit }) };
  }

  #step(step: StepNode, other: StepNode | undefined): PlannedStep {
    const { action, version, service, after, traits = {} } = step;
    const vms = this.#vmsOf(step);
    const id = this.#idOf(step, other, vms);
    this.#shown.set(step.id, id);
    return {
      kind: 'step',
      id,
      action,
      version,
      service,
      target: targetOf(step, other, vms),
      vms,
      vim: step.limits?.map(vimOfLimit).find((vim) => vim !== undefined) ?? null,
      ...(after === undefined ? {} : { after: after.flatMap((each) => this.#shown.get(each) ?? []) }),
      undoable: traits.undoable !== false,
      pivot: traits.pivot === true,
      duration: this.by.durations.of(step) ?? null,
    };
  }

  /** The VMs whose hosts the step holds a place on; for a step that holds none, the VMs at which its input points. */
  #vmsOf({ limits = [], input }: StepNode): PlannedVm[] {
    const hosts = limits.flatMap((key) => hostOfLimit(key) ?? []);
    const named = sourcesOf(input).filter((name) => name.startsWith(VNFC));
    const ids = hosts.length > 0 ? hosts : named.map((name) => name.slice(VNFC.length));
    return ids.flatMap((id) => this.by.vms.get(id) ?? []);
  }

  #idOf({ id, action }: StepNode, other: StepNode | undefined, vms: readonly PlannedVm[]): string {
    const [vm] = vms;
    const plain = other?.id === id ? id : vm !== undefined && vms.length === 1 ? `${action}:${vm.name}` : action;
    let shown = `${this.prefix}${plain}`;
    for (let number = 2; this.#ids.has(shown); number++) shown = `${this.prefix}${plain}#${number}`;
    this.#ids.add(shown);
    return shown;
  }
}

const VNFC = SOURCES.vnfc('');

function targetOf({ target }: StepNode, other: StepNode | undefined, vms: readonly PlannedVm[]): string | null {
  if (target === undefined) return null;
  if (other?.target === target) return target;
  const [vm] = vms;
  if (vm === undefined) return null;
  return vms.length === 1 ? vm.name : `${vms.length} VMs`;
}
