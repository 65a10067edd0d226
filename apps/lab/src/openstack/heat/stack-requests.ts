import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { pythonStr } from '../http/python-json.js';
import type { Stack, StackInput } from '../state/state.js';
import { badRequest, heatError } from './template/heat-errors.js';
import { environmentOf, type StackRequest } from './heat.js';
import { readTemplate } from './template/yaml.js';

const MALFORMED = 'The server could not comply with the request since it is either malformed or otherwise incorrect.';

/** The body of `POST stacks`. @throws HttpFailure 400. */
export function readStackRequest(body: Json | undefined): StackRequest {
  if (!isJsonObject(body)) throw badRequest(MALFORMED);
  const name = body.stack_name;
  if (typeof name !== 'string' || name === '') throw badRequest('No stack name specified');
  const input = inputOf(body);
  if (input === undefined) throw badRequest('No template specified');
  return { name, input, tags: [], timeoutMins: null, disableRollback: true, ...requestedOptions(body) };
}

/** Template, files, environment and parameters of a body, or undefined where it has no template. */
export function inputOf(body: JsonObject): StackInput | undefined {
  const template = templateOf(body.template);
  if (template === undefined) return undefined;
  return { template, files: filesOf(body), environment: environmentIn(body), parameters: parametersOf(body) };
}

function templateOf(given: Json | undefined): JsonObject | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const template = read(given, 'Template not in valid format: Error parsing template [root stack] ');
  if (template === undefined)
    throw badRequest('Template not in valid format: The template is not a JSON object or YAML mapping.');
  return template;
}

function read(given: Json, complaint: string): JsonObject | undefined {
  try {
    return readTemplate(given);
  } catch (error) {
    throw badRequest(`${complaint}${error instanceof Error ? error.message : String(error)}`);
  }
}

function filesOf(body: JsonObject): Record<string, string> {
  const files = body.files ?? {};
  if (!isJsonObject(files)) throw badRequest(MALFORMED);
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? content : JSON.stringify(content)]),
  );
}

function environmentIn(body: JsonObject): JsonObject {
  const given = body.environment;
  if (typeof given === 'string' && given !== '') {
    const environment = read(given, 'Environment not in valid format: ') ?? [];
    return environmentOf(environment);
  }
  return environmentOf(given);
}

function parametersOf(body: JsonObject): JsonObject {
  const parameters = body.parameters ?? {};
  if (!isJsonObject(parameters)) throw badRequest(MALFORMED);
  return parameters;
}

/** Tags, time-out and roll-back, where the body names them. */
export function requestedOptions(body: Json | undefined): Partial<Pick<Stack, 'tags' | 'timeoutMins' | 'disableRollback'>> {
  if (!isJsonObject(body)) return {};
  const options: Partial<Pick<Stack, 'tags' | 'timeoutMins' | 'disableRollback'>> = {};
  const { tags, timeout_mins: timeout, disable_rollback: rollback } = body;
  if (typeof tags === 'string') options.tags = tags.split(',').map((tag) => tag.trim());
  else if (tags !== undefined && tags !== null) throw heatError(400, 'AttributeError');
  if (timeout !== undefined && timeout !== null) options.timeoutMins = wholeOf(timeout, 'timeout_mins');
  if (rollback !== undefined && rollback !== null) options.disableRollback = rollbackOf(rollback);
  return options;
}

function rollbackOf(value: Json): boolean {
  const flag = strictBoolean(value);
  if (flag === undefined) throw heatError(400, 'ValueError');
  return flag;
}

function wholeOf(value: Json, name: string): number {
  const text = pythonStr(value);
  if (!/^-?\d+$/.test(text)) throw badRequest(`Only integer is acceptable by '${name}'.`);
  return Number(text);
}

/** Heat's strict reading of a flag, or undefined where it is none. */
export function strictBoolean(value: Json): boolean | undefined {
  const text = pythonStr(value).toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/**
 * The input after an update. PATCH keeps what it does not name: template, files, parameters and environment; PUT keeps nothing.
 * @throws HttpFailure 400.
 */
export function patchedInput(stack: Stack, body: Json | undefined, patch: boolean): StackInput {
  if (!isJsonObject(body)) throw badRequest(MALFORMED);
  const before = stack.input;
  const given = inputOf(body);
  if (!patch) {
    if (given === undefined) throw badRequest('No template specified');
    return given;
  }
  const cleared = Array.isArray(body.clear_parameters) ? body.clear_parameters.map((name) => pythonStr(name)) : [];
  const kept = Object.fromEntries(Object.entries(before.parameters).filter(([name]) => !cleared.includes(name)));
  const environment = environmentIn(body);
  const template = given?.template ?? before.template;
  // Heat drops parameters that the template does not have, where PUT and POST refuse them.
  const declared = isJsonObject(template.parameters) ? template.parameters : {};
  const parameters = Object.entries({ ...kept, ...parametersOf(body) }).filter(([name]) => declared[name] !== undefined);
  return {
    template,
    files: { ...before.files, ...filesOf(body) },
    environment: Object.keys(environment).length === 0 ? before.environment : { ...before.environment, ...environment },
    parameters: Object.fromEntries(parameters),
  };
}
