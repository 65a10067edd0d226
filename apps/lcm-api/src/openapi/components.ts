import type { Json, JsonObject } from '@windlass/foundation';
import { bodySchema, MARKER_PARAMETER, type BodyClass, type NamedSchemas, type ResourceTable } from '@windlass/sol003';
import { SCHEMA_NAMES, schemasOf, type SchemaName } from '@windlass/sol003/schemas';

const schemaAt = (name: string): string => `#/components/schemas/${name}`;

/** What several routes of the document share: types, answers to errors, parameters of lists. A part is in it once it was asked for. */
export class Components {
  readonly #types: NamedSchemas = new Map();
  readonly #parameters = new Map<string, JsonObject>();

  /** A reference to a body's type. Where ETSI's has the same name but other rules, the request's is called `...Request`. */
  body(bodyClass: BodyClass): JsonObject {
    return bodySchema(bodyClass, this.#types, schemaAt, (name) =>
      (SCHEMA_NAMES as string[]).includes(name) ? `${name}Request` : name,
    );
  }

  /** A reference to ETSI's type. */
  etsi(name: SchemaName): JsonObject {
    if (!this.#types.has(name)) {
      const [first = {}, ...others] = schemasOf(name).map(embedded);
      this.#types.set(name, others.length === 0 ? first : { allOf: [first, ...others] });
    }
    return { $ref: schemaAt(name) };
  }

  /** References to the parameters that a list has (SOL013 5). */
  listParameters({ name, excludedByDefault }: ResourceTable): JsonObject[] {
    const left = excludedByDefault.length === 0 ? 'nothing' : excludedByDefault.join(', ');
    const flags: [string, string][] = [
      ['all_fields', 'all attributes; no value'],
      ['exclude_default', `what is left out unless it is asked for, is: ${left}; no value`],
    ];
    const texts: [string, string][] = [
      ['filter', 'only entries of which it is true: `(eq,attribute/path,value)`; several, separated by `;`, all'],
      ['fields', 'these complex attributes too, separated by commas'],
      ['exclude_fields', 'without these attributes'],
      ['exclude-fields', 'another spelling of exclude_fields, which the openstack command line sends'],
      [MARKER_PARAMETER, 'from the Link header of the page before'],
    ];
    return [
      ...texts.map(([key, description]) => this.#listParameter(name, key, description, { type: 'string' })),
      ...flags.map(([key, description]) => this.#listParameter(name, key, description, { type: 'string', maxLength: 0 })),
      this.#listParameter(name, 'all_records', 'everything in one answer', { type: 'string', enum: ['yes', 'no'] }),
    ];
  }

  #listParameter(list: string, name: string, description: string, schema: JsonObject): JsonObject {
    // What a list leaves out differs; the rest is the same for all.
    const key = name === 'exclude_default' ? `${list}.${name}` : name;
    const empty = schema.maxLength === 0 ? { allowEmptyValue: true } : {};
    this.#parameters.set(key, { name, in: 'query', description, ...empty, schema });
    return { $ref: `#/components/parameters/${key}` };
  }

  /** Everything that was asked for, and what each document has. */
  all(): JsonObject {
    this.etsi('ProblemDetails');
    return {
      schemas: sorted(this.#types.set('TackerError', TACKER_ERROR)),
      parameters: sorted(this.#parameters),
      headers: HEADERS,
      responses: {
        Problem: refusal('application/problem+json', 'ProblemDetails'),
        LegacyProblem: refusal('application/json', 'TackerError'),
      },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
        bearer: { type: 'http', scheme: 'bearer' },
        basic: { type: 'http', scheme: 'basic' },
      },
    };
  }
}

/** Without the name of its draft: in the document it is one of 2020-12, which what ETSI uses means the same in. */
function embedded({ $schema: _draft, definitions: _empty, ...schema }: JsonObject): JsonObject {
  return schema;
}

const TACKER_ERROR: JsonObject = {
  type: 'object',
  required: ['TackerError'],
  properties: {
    TackerError: {
      type: 'object',
      required: ['type', 'message', 'detail'],
      properties: { type: { type: 'string' }, message: { type: 'string' }, detail: { type: 'string' } },
    },
  },
};

const refusal = (mediaType: string, type: string): JsonObject => ({
  description: 'Refused, or failed; `detail` says why and what to do.',
  content: { [mediaType]: { schema: { $ref: schemaAt(type) } } },
});

const header = (description: string, required = true): JsonObject => ({ description, required, schema: { type: 'string' } });

/** Headers of answers by their names. */
const HEADERS: JsonObject = {
  Location: header('where the resource is that was made, or the operation occurrence'),
  Link: header('where the next page is; absent on the last one', false),
  ETag: header('the version of the resource, for If-Match', false),
  'Accept-Ranges': header('bytes: a part may be asked for with Range'),
  'Content-Range': header('which bytes these are, of how many'),
  Version: header('the version of the API that answers'),
  'X-Request-Id': header('under which the request stands in logs and the audit trail'),
  'Windlass-Warning': header('what a person should know of an answer that is no error', false),
  'Windlass-Journal-Purged': header('since when the steps are not kept any more', false),
};

const sorted = (parts: ReadonlyMap<string, JsonObject>): Record<string, Json> =>
  Object.fromEntries([...parts].sort(([one], [other]) => (one < other ? -1 : 1)));
