import { RequestError, type InvalidParam, type JsonObject } from '@windlass/foundation';
import { connectionsOf, type OperationDefinition, type VnfInstanceRecord } from '@windlass/lifecycle';
import { fromV2, pathOfV2, type InstanceForV2 } from '@windlass/sol003';
import type { ReadBody } from '../instances/vnf-instances.js';

/**
 * Does what a request of v2 asks for.
 * @param work is given how the request is read: in the form that both versions share
 * @throws RequestError what `work` throws, with the paths of the body that the client sent
 */
export async function asV2<T>({ operation }: OperationDefinition, work: (read: ReadBody) => Promise<T>): Promise<T> {
  let shared: JsonObject = {};
  try {
    return await work((given, instance) => (shared = fromV2(operation, given, forV2(instance))));
  } catch (error) {
    throw error instanceof RequestError ? withPathsOfV2(error, shared) : error;
  }
}

function withPathsOfV2(error: RequestError, shared: JsonObject): RequestError {
  const { code, message, invalidParams: before = [] } = error;
  const invalidParams = before.map(({ path, reason }) => ({ path: pathOfV2(path, shared), reason }));
  const [first, ...others] = before;
  if (first === undefined || before.every(({ path }, index) => path === invalidParams[index]?.path)) return error;
  // A detail either begins with its first finding, or consists of all of them.
  const told = `${first.path}: `;
  const all = others.length > 0 && message === detailOf(before);
  const moved = message.startsWith(told) ? `${invalidParams[0]?.path ?? ''}: ${message.slice(told.length)}` : message;
  return new RequestError(error.status as 400, code, all ? detailOf(invalidParams) : moved, { cause: error, invalidParams });
}

const detailOf = (findings: readonly InvalidParam[]): string =>
  findings.map(({ path, reason }) => `${path}: ${reason}`).join('; ');

const forV2 = (instance: VnfInstanceRecord): InstanceForV2 => ({
  vnfcs: instance.instantiated?.info.vnfcResourceInfo ?? [],
  connections: connectionsOf(instance),
});
