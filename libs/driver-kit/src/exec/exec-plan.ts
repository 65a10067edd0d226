import {
  atPointer,
  isJsonObject,
  masked,
  MASK,
  pointerToken,
  secretTextsIn,
  type Json,
  type JsonObject,
  type SecretPlaces,
} from '@windlass/foundation';
import { SOURCES } from '@windlass/mgmt-driver';

/**
 * The member of a step's input that lists the places of secrets, by the driver's schemas. It is part of the plan, so that every replica knows them.
 */
const SECRETS_AT = '$secretsAt';

/** Completes the plan of an executable, which may leave out its own service and name. The caller checks the plan's bounds. */
export function filledPlan(
  plan: JsonObject,
  by: { driver: string; version: string; service: string },
  places: SecretPlaces,
): JsonObject {
  const { driver, version, service } = by;
  const fill = (node: Json, level: number): Json => {
    // The node lies deeper than plans may be: the check refuses it as it is.
    if (!isJsonObject(node) || level > 64) return node;
    if (node.kind !== 'step')
      return Array.isArray(node.of) ? { ...node, of: node.of.map((each) => fill(each, level + 1)) } : node;
    const step: JsonObject = { service, ...node };
    if (step.service !== service || !isJsonObject(step.input)) return step;
    const at = secretsAt(step.input, places, '', 0);
    return at.length === 0 ? step : { ...step, input: { ...step.input, [SECRETS_AT]: at } };
  };
  return { madeBy: { driver, version }, ...plan, root: fill(plan.root ?? null, 0) };
}

/** Pointers of references in an input to what is secret in the parameters. */
function secretsAt(value: Json, places: SecretPlaces, path: string, level: number): string[] {
  if (typeof value !== 'object' || value === null || level > 32) return [];
  if (!Array.isArray(value) && Object.hasOwn(value, '$from')) return pointsAtSecret(value, places) ? [path] : [];
  return Object.entries(value).flatMap(([key, member]) => secretsAt(member, places, `${path}/${pointerToken(key)}`, level + 1));
}

function pointsAtSecret({ $from, at = '' }: JsonObject, places: SecretPlaces): boolean {
  if ($from !== SOURCES.instantiateParams && $from !== SOURCES.requestParams) return false;
  if (typeof at !== 'string') return false;
  // A text stands in for the value at the pointer: it is masked where the value is secret, or has secrets below it.
  const tokens = at
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const probe = tokens.reduceRight<Json>((below, token) => ({ [token]: below }), 'x');
  return atPointer(masked(probe, places), at) === MASK;
}

/** The input that a step's process gets, and the texts in it that are secret. */
export function inputAndSecrets(input: JsonObject): { input: JsonObject; secrets: string[] } {
  const { [SECRETS_AT]: at = [], ...given } = input;
  const marked = (Array.isArray(at) ? at : []).map((pointer) => ({
    secret: typeof pointer === 'string' ? (atPointer(given, pointer) ?? null) : null,
  }));
  return { input: given, secrets: [...new Set([...secretTextsIn(given), ...secretTextsIn(marked)])] };
}
