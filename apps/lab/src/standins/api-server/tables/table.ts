import type { JsonObject } from '@windlass/foundation';
import { asJson, type KubeObject } from '../../kube/object.js';
import type { ResourceType } from '../../kube/resources.js';
import { columnsOf } from './columns.js';

/** Whether a client asks for tables: `application/json;as=Table;v=v1;g=meta.k8s.io` before plain JSON. */
export const wantsTable = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((part) => part.includes(';as=Table') && /;v=v1(;|$)/.test(part));

/** The `meta.k8s.io/v1` Table of some objects. Column definitions come with the first table of a watch only. */
export function tableOf(
  type: ResourceType,
  objects: readonly KubeObject[],
  resourceVersion: string,
  include: string,
): JsonObject {
  const columns = columnsOf(type);
  const now = new Date();
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion },
    columnDefinitions: columns.map(({ name, wide }) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: wide === true ? 1 : 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? asJson(object) : partial(object) }),
    })),
  };
}

const partial = (object: KubeObject): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: asJson(object).metadata ?? {},
});
