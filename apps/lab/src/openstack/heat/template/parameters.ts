import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { pythonJson, pythonStr } from '../../http/python-json.js';
import { heatError, invalidTemplate } from './heat-errors.js';

type Kind = 'string' | 'number' | 'comma_delimited_list' | 'json' | 'boolean';
const KINDS: Kind[] = ['string', 'number', 'comma_delimited_list', 'json', 'boolean'];
const KEYS = ['type', 'default', 'description', 'label', 'hidden', 'constraints', 'immutable', 'tags'];

/** What a parameter's custom constraint asks: whether the value names such a thing; undefined when it does. */
export type CustomCheck = (constraint: string, value: string) => string | undefined;

interface Declared {
  kind: Kind;
  hidden: boolean;
  constraints: JsonObject[];
  fallback: Json | undefined;
}

/** Values of a template's parameters, checked and converted to their types. */
export class Parameters {
  readonly #values = new Map<string, Json>();
  readonly #hidden = new Set<string>();

  private constructor(readonly pseudo: Record<string, string>) {}

  /**
   * @param given what the user (or the parent stack) says, over `parameter_defaults`.
   * @throws HttpFailure 400: a parameter is missing, unknown or not of its type.
   */
  static read(
    declared: JsonObject,
    given: JsonObject,
    pseudo: Record<string, string>,
    options: { check?: CustomCheck; defaults?: JsonObject; strict?: boolean } = {},
  ): Parameters {
    const found = new Parameters(pseudo);
    const strict = options.strict ?? true;
    for (const name of Object.keys(given)) {
      if (declared[name] === undefined && strict) {
        throw heatError(400, 'UnknownUserParameter', `The Parameter (${name}) was not defined in template.`);
      }
    }
    for (const [name, raw] of Object.entries(declared)) {
      const schema = schemaOf(name, raw);
      const value = given[name] ?? options.defaults?.[name] ?? schema.fallback;
      if (value === undefined || value === null) {
        if (strict) throw heatError(400, 'UserParameterMissing', `The Parameter (${name}) was not provided.`);
        continue;
      }
      const converted = convert(name, schema.kind, value);
      for (const constraint of schema.constraints) checkConstraint(name, constraint, converted, options.check);
      found.#values.set(name, converted);
      if (schema.hidden) found.#hidden.add(name);
    }
    return found;
  }

  /** The value, or undefined where there is no such parameter. */
  get = (name: string): Json | undefined => this.pseudo[name] ?? this.#values.get(name);

  /** All parameters as Heat shows them: every value as text. */
  shown(): JsonObject {
    const own = [...this.#values].map(([name, value]) => [name, this.#hidden.has(name) ? '******' : asText(value)] as const);
    return { ...this.pseudo, ...Object.fromEntries(own) };
  }
}

const asText = (value: Json): string => {
  if (Array.isArray(value)) return value.map((entry) => pythonStr(entry)).join(',');
  return isJsonObject(value) ? pythonJson(value) : pythonStr(value);
};

function schemaOf(name: string, raw: Json): Declared {
  if (!isJsonObject(raw)) throw heatError(400, 'InvalidSchemaError', `Invalid parameter definition (${name})`);
  for (const key of Object.keys(raw)) {
    if (!KEYS.includes(key)) throw heatError(400, 'InvalidSchemaError', `Invalid key '${key}' for parameter (${name})`);
  }
  const type = raw.type;
  if (type === undefined) throw heatError(400, 'InvalidSchemaError', `Missing parameter type for parameter: ${name}`);
  const kind = KINDS.find((one) => one === type);
  if (kind === undefined) throw heatError(400, 'InvalidSchemaError', `Invalid type (${pythonStr(type)})`);
  const constraints = Array.isArray(raw.constraints) ? raw.constraints.filter(isJsonObject) : [];
  return { kind, hidden: raw.hidden === true || raw.hidden === 'true', constraints, fallback: raw.default };
}

const invalid = (name: string, problem: string) => invalidTemplate(`Parameter '${name}' is invalid: ${problem}`);

function convert(name: string, kind: Kind, value: Json): Json {
  switch (kind) {
    case 'string':
      return typeof value === 'object' ? asText(value) : pythonStr(value);
    case 'number':
      return numberOf(name, value);
    case 'boolean':
      return booleanOf(name, value);
    case 'comma_delimited_list':
      return Array.isArray(value)
        ? value.map((entry) => pythonStr(entry))
        : pythonStr(value)
            .split(',')
            .map((entry) => entry.trim());
    case 'json':
      return jsonOf(name, value);
  }
}

function numberOf(name: string, value: Json): Json {
  if (typeof value === 'number') return value;
  const text = pythonStr(value).trim();
  const number = Number(text);
  if (text === '' || Number.isNaN(number)) throw invalid(name, `could not convert string to float: '${text}'`);
  return number;
}

function booleanOf(name: string, value: Json): Json {
  const text = pythonStr(value).toLowerCase();
  if (['t', 'true', 'on', 'y', 'yes', '1'].includes(text)) return true;
  if (['f', 'false', 'off', 'n', 'no', '0'].includes(text)) return false;
  throw invalid(
    name,
    `Unrecognized value '${pythonStr(value)}', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'`,
  );
}

function jsonOf(name: string, value: Json): Json {
  if (typeof value === 'object' && value !== null) return value;
  try {
    return JSON.parse(pythonStr(value)) as Json;
  } catch (error) {
    throw invalid(name, `Value must be valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkConstraint(name: string, constraint: JsonObject, value: Json, check: CustomCheck | undefined): void {
  const said = constraint.description;
  const refuse = (problem: string): never => {
    throw invalid(name, typeof said === 'string' ? said : problem);
  };
  const { allowed_values: allowed, allowed_pattern: pattern, range, length, custom_constraint: custom } = constraint;
  const text = asText(value);
  if (Array.isArray(allowed) && !allowed.some((one) => asText(one) === text)) {
    refuse(`"${text}" is not an allowed value ${pythonJson(allowed)}`);
  }
  if (typeof pattern === 'string' && !new RegExp(`^(?:${pattern})`).test(text))
    refuse(`"${text}" does not match pattern "${pattern}"`);
  if (isJsonObject(range)) checkBounds(range, Number(value), (bounds) => refuse(`${text} is out of range (${bounds})`));
  if (isJsonObject(length))
    checkBounds(length, text.length, (bounds) => refuse(`length (${text.length}) is out of range (${bounds})`));
  if (typeof custom === 'string') {
    const problem = check?.(custom, text);
    if (problem !== undefined) refuse(`Error validating value '${text}': ${problem}`);
  }
}

function checkBounds(limits: JsonObject, value: number, refuse: (bounds: string) => never): void {
  const { min, max } = limits;
  const below = typeof min === 'number' && value < min;
  const above = typeof max === 'number' && value > max;
  if (below || above) refuse(`min: ${pythonStr(min)}, max: ${pythonStr(max)}`);
}
