import { isJsonObject, type Json } from '@windlass/foundation';

/** The differences between the shapes of `got` and `recorded`: missing members, more members, other kinds. */
export function differences(recorded: Json, got: Json, options: { ignore?: string[] } = {}, path = ''): string[] {
  if (options.ignore?.includes(path) === true) return [];
  if (Array.isArray(recorded) && Array.isArray(got)) {
    const [one, other] = [recorded[0], got[0]];
    if (one === undefined) return [];
    return other === undefined ? [`${path}: empty`] : differences(one, other, options, `${path}[]`);
  }
  if (isJsonObject(recorded) && isJsonObject(got)) {
    const missing = Object.keys(recorded).filter(
      (name) => got[name] === undefined && options.ignore?.includes(`${path}.${name}`) !== true,
    );
    const extra = Object.keys(got).filter(
      (name) => recorded[name] === undefined && options.ignore?.includes(`${path}.${name}`) !== true,
    );
    const shared = Object.keys(recorded).filter((name) => got[name] !== undefined);
    return [
      ...missing.map((name) => `${path}: ${name} is missing`),
      ...extra.map((name) => `${path}: ${name} is too many`),
      ...shared.flatMap((name) => differences(recorded[name] ?? null, got[name] ?? null, options, `${path}.${name}`)),
    ];
  }
  return kind(recorded) === kind(got) ? [] : [`${path}: ${kind(got)} instead of ${kind(recorded)}`];
}

const kind = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** A text with ids, random names, times and addresses of services replaced, which differ from run to run. */
export const normalized = (text: string): string =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+(\/(identity|orchestration|compute|network|image|volume)\b)?/g, 'URL')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g, 'ID')
    .replaceAll(/\b[a-z2-7]{12}\b/g, 'RANDOM')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME');
