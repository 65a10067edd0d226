/** @typedef {Record<string, unknown>} Schema */

const quoted = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

/** The TypeScript type of a JSON Schema, as OpenAPI 3.1 has it. What it says beyond a type's shape (patterns, lengths) is left out. */
export function typeOf(schema) {
  if (schema === undefined || schema === true || typeof schema !== 'object') return 'unknown';
  if (typeof schema.$ref === 'string') return `Schemas[${JSON.stringify(schema.$ref.split('/').at(-1))}]`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const [key, sign] of [
    ['oneOf', ' | '],
    ['anyOf', ' | '],
    ['allOf', ' & '],
  ]) {
    // `anyOf` that only says which members are required adds nothing to the shape.
    const shapes = (schema[key] ?? []).map(typeOf).filter((text) => text !== 'unknown');
    if (shapes.length > 0 && schema.properties === undefined) return shapes.map((text) => `(${text})`).join(sign);
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  return ofOneType(schema);
}

function ofOneType(schema) {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeOf(schema.items)})[]`;
    default:
      return schema.type === 'object' || schema.properties !== undefined ? objectType(schema) : 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }) {
  const named = { ...Object.fromEntries(required.map((name) => [name, undefined])), ...properties };
  const members = Object.entries(named).map(
    ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>`;
}

/** What each GET answers with 200 as JSON, by its path. */
const answersOf = (paths) =>
  Object.entries(paths).flatMap(([path, { get }]) => {
    const json = get?.responses?.['200']?.content?.['application/json'];
    return json === undefined ? [] : [`  ${JSON.stringify(path)}: ${typeOf(json.schema)};`];
  });

/** The paths that have a method. */
const pathsWith = (paths, method) =>
  Object.keys(paths)
    .filter((path) => paths[path][method] !== undefined)
    .map((path) => `  | ${JSON.stringify(path)}`);

/** Declarations: every schema by its name, what each GET answers, and the paths that may be POSTed to. */
export const typesOf = ({ components, paths }) => `// Made from docs/contracts/openapi.json by apps/dashboard/build.mjs.
export interface Schemas {
${Object.entries(components.schemas)
  .map(([name, schema]) => `  ${quoted(name)}: ${typeOf(schema)};`)
  .join('\n')}
}
export interface Answers {
${answersOf(paths).join('\n')}
}
export type PostPath =
${pathsWith(paths, 'post').join('\n')};
`;
