import { isDeepStrictEqual } from 'node:util';
import { InvariantError, minutes, type JsonObject } from '@windlass/foundation';
import { VimSessions } from '@windlass/infra-driver';
import { heatRequest, imageRefsOf, stackNameOf, type DesiredState, type LcmOperation } from '@windlass/lifecycle';
import { parse } from 'yaml';
import { CrashPoints } from '../../crash-points/support/crash-points.js';
import { vimOf } from '../../crash-points/support/services.js';
import type { World } from '../../crash-points/support/world.js';
import { scalingRequest } from '../../support/scaling-package.js';

/** The end of an operation that fails once, or not at all. */
export type Outcome = 'completed' | 'retried' | 'rolled back' | 'marked as failed';

/** The additional parameters that every instance of these tests is instantiated with. */
export const PARAMS = { password: 'the password of the VMs' };

/** Instantiates the scaling package. */
export async function instantiate(world: World): Promise<void> {
  const id = world.accept('INSTANTIATE', { ...scalingRequest('net0'), additionalParams: PARAMS });
  await world.settle(id);
  if (world.opOcc(id).operationState !== 'COMPLETED') throw new Error(JSON.stringify(world.opOcc(id).error));
}

/**
 * Plays an operation and its internal sagas to their ends.
 * @param point the crash point (`tests/crash-points`) at which the operation fails for good, once
 * @returns the operation's last state, and whether it failed at the point
 */
export async function play(
  world: World,
  operation: LcmOperation,
  request: JsonObject,
  { outcome = 'completed', point }: { outcome?: Outcome; point?: string } = {},
): Promise<{ state: string; failed: boolean }> {
  const id = world.accept(operation, request);
  world.points = new CrashPoints(outcome === 'completed' ? undefined : point, 'failure');
  await world.settle(id);
  world.points = new CrashPoints(undefined);
  const failed = world.operation(id).status === 'suspended';
  if (failed) {
    await world.ask(id, outcome === 'rolled back' ? 'rollback' : outcome === 'marked as failed' ? 'abandon' : 'retry');
    await world.settle(id);
    // A refresh reports nothing that has just changed.
    world.journal.pass(minutes(1));
    await world.settleInternals();
  }
  return { state: world.opOcc(id).operationState, failed };
}

export function desiredIn({ instance }: World): DesiredState {
  if (instance.desired === null) throw new InvariantError('the instance is not instantiated');
  return instance.desired;
}

/** The levels of the aspects, as the API shows them. */
export const levelsIn = ({ instance }: World): Record<string, number> =>
  Object.fromEntries((instance.instantiated?.info.scaleStatus ?? []).map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]));

/** The template and parameters of the instance's stack in Heat, and those that the desired state alone would give. */
export async function stackInputs(world: World): Promise<{ has: JsonObject; wanted: JsonObject }> {
  const { instance, sample } = world;
  const desired = desiredIn(world);
  const context = { instance, package: sample.record, flavourId: desired.flavourId };
  const { template, files, parameters } = heatRequest({ ...context, opOcc: { id: 'anew' }, desired }, imageRefsOf(context));
  return { has: await stackInput(world), wanted: { template: parse(template) as JsonObject, files, parameters } };
}

/** The template and parameters of the instance's stack in Heat. */
export async function stackInput(world: World): Promise<JsonObject> {
  const sessions = new VimSessions(undefined);
  try {
    const openStack = sessions.of({ connectionId: 'vim', ...vimOf(world.emulator).access });
    const stack = await openStack.heat.findStack(stackNameOf(world.instance.id));
    if (stack === undefined) throw new InvariantError('Heat has no stack of the instance');
    const ask = async (part: string): Promise<JsonObject> => {
      const path = `/stacks/${stack.name}/${stack.id}/${part}`;
      const { body } = await openStack.session.request('orchestration', { method: 'GET', path, expect: [200] });
      return body().value as JsonObject;
    };
    const [template, files, environment] = await Promise.all(['template', 'files', 'environment'].map(ask));
    return { template: template ?? {}, files: files ?? {}, parameters: environment?.parameters ?? {} };
  } finally {
    sessions.close();
  }
}

/** Whether Heat's stack is as the desired state. */
export async function isAsDesired(world: World): Promise<boolean> {
  const { has, wanted } = await stackInputs(world);
  return isDeepStrictEqual(has, wanted);
}
