import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { parseDocument, YAMLParseError, type ScalarTag } from 'yaml';

/** Where PyYAML's loader differs: dates stay text, and `y` and `n` are text, not booleans. */
const NOT_AS_PYYAML = [':timestamp', ':bool'];

const boolean = (value: boolean, test: RegExp): ScalarTag => ({
  identify: (one) => one === value,
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test,
  resolve: () => value,
});
const yes = boolean(true, /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/);
const no = boolean(false, /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/);

/**
 * Reads a template as PyYAML's safe loader would: YAML 1.1, but dates stay text.
 * @throws Error with a message like PyYAML's when it is not YAML.
 */
export function parseTemplateText(text: string): Json {
  const document = parseDocument(text, {
    version: '1.1',
    merge: true,
    customTags: (tags) => [
      ...tags.filter((tag) => typeof tag === 'string' || !NOT_AS_PYYAML.some((name) => tag.tag.endsWith(name))),
      yes,
      no,
    ],
  });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(problem instanceof YAMLParseError ? problem.message : String(problem));
  // Aliases may not blow a small file up into a large document.
  return document.toJS({ maxAliasCount: 100 }) as Json;
}

/** A template given as text or as an object. */
export function readTemplate(given: Json): JsonObject | undefined {
  const parsed = typeof given === 'string' ? parseTemplateText(given) : given;
  return isJsonObject(parsed) ? parsed : undefined;
}
