import { isJsonObject, RequestError, type JsonObject } from '@windlass/foundation';

/** The schema of a body that says what is to be done with something of a cluster. */
export const taskSchema = (tasks: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: ['task'],
  properties: { task: { enum: [...tasks] } },
});

/** What the body asks for. @throws RequestError 400 with the path of what is wrong */
export function taskIn<Task extends string>(body: unknown, tasks: readonly Task[]): Task {
  const given = isJsonObject(body) ? body : {};
  const other = Object.keys(given).find((member) => member !== 'task');
  if (other !== undefined) throw invalid(`/${other}`, 'is a member that is not taken: task was expected');
  const task = tasks.find((each) => each === given.task);
  if (task === undefined) throw invalid('/task', `has to be one of ${tasks.join(', ')}`);
  return task;
}

const invalid = (path: string, reason: string): RequestError =>
  new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
