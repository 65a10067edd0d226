import { StatusError } from './status-error.js';

/** `matchLabels` and `matchExpressions`, as in workloads and affinity terms. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[];
}

interface Requirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values: string[];
}

/** A parsed `labelSelector` query: every requirement must hold. */
export type LabelQuery = readonly Requirement[];

const KEY = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

export const isLabelKey = (key: string): boolean => KEY.test(key) && key.length <= 253 + 64;
export const isLabelValue = (value: string): boolean => VALUE.test(value) && value.length <= 63;

/**
 * Parses the query form: `a=b,c!=d,e in (f, g),h,!i`.
 * @throws StatusError 400 naming the part that can't be parsed.
 */
export function parseLabelQuery(text: string): LabelQuery {
  return splitTopLevel(text).map((part) => parseRequirement(part.trim(), text));
}

/** Splits at commas outside parentheses. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  parts.push(part);
  return parts.filter((entry) => entry.trim() !== '');
}

function parseRequirement(part: string, whole: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(part);
  if (set) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return checked({ key: set[1] ?? '', operator: set[2] === 'in' ? 'In' : 'NotIn', values }, whole);
  }
  const equality = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/.exec(part);
  if (equality) {
    const operator = equality[2] === '!=' ? 'NotIn' : 'In';
    return checked({ key: equality[1] ?? '', operator, values: [equality[3] ?? ''] }, whole);
  }
  if (part.startsWith('!')) return checked({ key: part.slice(1).trim(), operator: 'DoesNotExist', values: [] }, whole);
  return checked({ key: part, operator: 'Exists', values: [] }, whole);
}

function checked(requirement: Requirement, whole: string): Requirement {
  if (!isLabelKey(requirement.key) || !requirement.values.every(isLabelValue)) {
    throw StatusError.badRequest(`unable to parse requirement: invalid label key or value in "${whole}"`);
  }
  return requirement;
}

function holds({ key, operator, values }: Requirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  // A missing label satisfies NotIn and `!=`, as the API documents.
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  return value !== undefined && values.includes(value);
}

export const matchesQuery = (query: LabelQuery, labels: Record<string, string> = {}): boolean =>
  query.every((requirement) => holds(requirement, labels));

/** Whether labels satisfy a selector object. An absent selector matches nothing, an empty one everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  if (selector === undefined) return false;
  const exact = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return (
    exact &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => holds({ key, operator, values: values ?? [] }, labels))
  );
}

/** A parsed `fieldSelector` query: `path=value`, `path==value`, `path!=value`, joined by commas. */
export type FieldQuery = readonly { path: string; equal: boolean; value: string }[];

/** @throws StatusError 400 */
export function parseFieldQuery(text: string): FieldQuery {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
      if (!match) throw StatusError.badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      return { path: match[1] ?? '', equal: match[2] !== '!=', value: match[3] ?? '' };
    });
}
