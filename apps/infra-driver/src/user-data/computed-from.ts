import { isJsonObject, mergePatch, type Json, type JsonObject } from '@windlass/foundation';
import type { ComputedData } from '@windlass/user-data';
import { PackageError, plainYaml } from '@windlass/vnf-package';
import { isDeepStrictEqual } from 'node:util';
import { wrongResult, type ScriptResult, type ScriptRun } from './run-script.js';

/** What a script returned, and what it changes. */
interface Returned {
  signature: ScriptResult['signature'];
  result: JsonObject;
  current: ComputedData | null;
  baseHot: ScriptRun['baseHot'];
}

/**
 * What the stack is given from now on. A script of the first version returns its parameters; others the fields of Heat's request, which change what is
 * there (RFC 7396) unless `existing` is false.
 * @throws TerminalError `user-data.wrong-result`
 */
export function computedFrom(what: string, { signature, result, current, baseHot }: Returned): ComputedData {
  if (signature === 'v1') return { ...keptTemplates(current), parameters: result };
  const { parameters = {}, template, files = {}, existing = true, ...more } = result;
  const [unknown] = Object.keys(more).filter((key) => !IGNORED.has(key));
  if (unknown !== undefined)
    throw wrongResult(what, `has the field "${unknown}": parameters, template, files and existing are known`);
  if (!isJsonObject(parameters)) throw wrongResult(what, 'has parameters that are no map');
  if (!isJsonObject(files)) throw wrongResult(what, 'has files that are no map of texts by their names');
  const before = existing === false ? null : current;
  const top = template === undefined || template === null ? undefined : parsed(what, 'template', template);
  const merged = top === undefined ? undefined : mergedTemplate(top, before, baseHot.template);
  const nested = Object.entries(files).map(([name, text]) => [name, fileOf(what, name, text)] as const);
  const changed = nested.filter(([name, text]) => !isSame(text, baseHot.files[name]));
  const ours = merged !== undefined && isDeepStrictEqual(comparable(merged), comparable(baseHot.template));
  const { template: kept, ...keptFiles } = keptTemplates(existing === false ? null : current);
  return {
    ...keptFiles,
    ...(kept === undefined || merged !== undefined ? {} : { template: kept }),
    parameters: (before === null ? parameters : mergePatch(before.parameters, parameters)) as JsonObject,
    ...(merged === undefined || ours ? {} : { template: JSON.stringify(merged) }),
    ...(changed.length === 0 ? {} : { files: { ...before?.files, ...Object.fromEntries(changed) } }),
  };
}

/** What Heat's request may have beside, and what Windlass sets itself. */
const IGNORED: ReadonlySet<string> = new Set(['timeout_mins', 'tags', 'stack_name', 'disable_rollback']);

const keptTemplates = (current: ComputedData | null): Omit<ComputedData, 'parameters'> => ({
  ...(current?.template === undefined ? {} : { template: current.template }),
  ...(current?.files === undefined ? {} : { files: current.files }),
});

/** A part of a template changes the one that the stack has: what is null there goes. */
function mergedTemplate(top: JsonObject, before: ComputedData | null, carried: JsonObject): JsonObject {
  if (before === null) return top;
  const now = before.template === undefined ? carried : plainYaml(before.template, 'the template as it was');
  return mergePatch(now, top) as JsonObject;
}

function parsed(what: string, field: string, value: Json): JsonObject {
  const map = isJsonObject(value) ? value : typeof value === 'string' ? yamlOf(what, field, value) : undefined;
  if (map === undefined || !isJsonObject(map.resources))
    throw wrongResult(what, `has a ${field} that is no Heat template: it has no map of resources`);
  return map;
}

function yamlOf(what: string, field: string, text: string): JsonObject {
  try {
    return plainYaml(text, field);
  } catch (error) {
    if (error instanceof PackageError) throw wrongResult(what, `has a ${field} that can't be read: ${error.message}`);
    throw error;
  }
}

/** Heat finds nested templates and other files by these names, and by nothing else. */
function fileOf(what: string, name: string, value: Json): string {
  if (name === '' || name.length > 255 || name.includes('\0'))
    throw wrongResult(what, `has a file of the name ${JSON.stringify(name).slice(0, 100)}`);
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return JSON.stringify(value);
  throw wrongResult(what, `has a file ${name} that is no text`);
}

function isSame(text: string, own: Json | undefined): boolean {
  if (own === undefined) return false;
  try {
    return isDeepStrictEqual(comparable(plainYaml(text, 'file')), comparable(own));
  } catch (error) {
    if (error instanceof PackageError) return false; // Heat is to say what is wrong with it
    throw error;
  }
}

/** Values compared as texts: dates and numbers that are printed and read again come back as texts. */
const comparable = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(comparable);
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each)]));
  return value === null || typeof value === 'boolean' ? value : String(value);
};
