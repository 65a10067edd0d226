export {
  attributesOf,
  Check,
  MergePatch,
  mapOf,
  object,
  objects,
  Optional,
  Required,
  type BodyClass,
  type Plain,
} from './attributes.js';
export {
  flag,
  httpUrl,
  identifier,
  ipAddress,
  ipVersion,
  keyValuePairs,
  listOf,
  macAddress,
  oneOf,
  orSingle,
  text,
  uuid,
  whole,
  expectedGot,
  type Finding,
  type Rule,
} from './rules.js';
export { describeValue } from './describe-value.js';
export { invalidBody, validateBody, validated } from './validate-body.js';
export { sanityFindings } from './sanity.js';
export { bodySchema, type NamedSchemas } from './json-schema.js';
