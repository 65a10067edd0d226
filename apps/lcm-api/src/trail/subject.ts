/** What a request is about. */
export interface Subject {
  /** The LCM operation or the task on one: the last part of the resource, in capitals. */
  operation: string | null;
  vnfInstanceId: string | null;
  operationId: string | null;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const INSTANCE = new RegExp(`/vnf_instances/(${UUID})(?:/([a-z_]+))?/?$`, 'i');
const OP_OCC = new RegExp(`/vnf_lcm_op_occs/(${UUID})(?:/([a-z_]+))?/?$`, 'i');

/** What a path alone says: of the request's, or of the `Location` that it was answered with. */
export function subjectAt(path: string): Partial<Subject> {
  const [, vnfInstanceId, ofInstance] = INSTANCE.exec(path) ?? [];
  if (vnfInstanceId !== undefined) return { vnfInstanceId, ...operationOf(ofInstance) };
  const [, operationId, task] = OP_OCC.exec(path) ?? [];
  return operationId === undefined ? {} : { operationId, ...operationOf(task) };
}

/** The subject of a request: what its path names goes before what its answer names. */
export const subjectOf = (path: string, answered: Partial<Subject>): Subject => ({
  operation: null,
  vnfInstanceId: null,
  operationId: null,
  ...answered,
  ...subjectAt(path),
});

const operationOf = (name: string | undefined): Partial<Subject> => (name === undefined ? {} : { operation: name.toUpperCase() });
