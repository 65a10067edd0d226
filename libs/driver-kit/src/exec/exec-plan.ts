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

/** Where in a step's input it has what the driver's schemas mark as secret. It stands in the plan, so that every replica knows. */
const SECRETS_AT = '$secretsAt';

/**
 * A plan as an executable may write it: its own service and name may be left out, and are filled in. Whether the plan may stand is looked at by who
 * asked for it.
 */
export function filledPlan(
  plan: JsonObject,
  by: { driver: string; version: string; service: string },
  places: SecretPlaces,
): JsonObject {
  const { driver, version, service } = by;
  const fill = (node: Json, level: number): Json => {
    // Deeper than any plan may be: it is refused as it is.
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
  // A text where the pointer leads: it is masked where it is secret, and where secrets lie below.
  const tokens = at
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const probe = tokens.reduceRight<Json>((below, token) => ({ [token]: below }), 'x');
  return atPointer(masked(probe, places), at) === MASK;
}

/** The input of a step as its process is given it, and the texts in it that nobody else may read. */
export function inputAndSecrets(input: JsonObject): { input: JsonObject; secrets: string[] } {
  const { [SECRETS_AT]: at = [], ...given } = input;
  const marked = (Array.isArray(at) ? at : []).map((pointer) => ({
    secret: typeof pointer === 'string' ? (atPointer(given, pointer) ?? null) : null,
  }));
  return { input: given, secrets: [...new Set([...secretTextsIn(given), ...secretTextsIn(marked)])] };
}
