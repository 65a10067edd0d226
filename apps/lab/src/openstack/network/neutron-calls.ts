import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { sessionOf, type Call } from '../http/answer.js';
import { Fields } from '../http/json-fields.js';
import { middlewareUnauthorized } from '../http/unauthorized.js';
import { pythonRepr, pythonStr } from '../http/python-json.js';
import { badRequest, notFound } from './neutron-errors.js';

export function projectOf(call: Call): string {
  const project = sessionOf(call).project;
  if (project === undefined) throw middlewareUnauthorized();
  return project.id;
}

export function bodyOf(call: Call, name: string, known: readonly string[]): Fields {
  const member = isJsonObject(call.json) ? call.json[name] : undefined;
  if (!isJsonObject(member)) throw badRequest(`Unable to find '${name}' in request body`);
  const fields = new Fields(member, (field, value, expected) =>
    badRequest(`Invalid input for ${field}. Reason: ${pythonRepr(value)} is not a valid ${expected}.`),
  );
  const unknown = fields.unknown(known);
  if (unknown.length > 0) throw badRequest(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  return fields;
}

export function required(fields: Fields, name: string): string {
  const value = fields.text(name);
  if (value === undefined) throw badRequest(`Failed to parse request. Required attribute '${name}' not specified`);
  return value;
}

export function one(call: Call, seen: JsonObject[], kind: string): JsonObject {
  const id = call.params.id ?? '';
  const found = seen.find((view) => view.id === id);
  if (found === undefined) throw notFound(kind, id);
  return withFields(call, [found])[0] ?? found;
}

const PAGING = ['fields', 'limit', 'marker', 'sort_key', 'sort_dir', 'page_reverse'];

/** The views that match every query member; members may repeat, which means any of them. */
export function filtered(call: Call, views: JsonObject[]): Json[] {
  const names = [...new Set(call.query.keys())].filter((name) => !PAGING.includes(name));
  const matching = views.filter((view) => names.every((name) => matches(view, name, call.query.getAll(name))));
  return withFields(call, paged(call, matching));
}

function matches(view: JsonObject, name: string, wanted: string[]): boolean {
  if (name === 'fixed_ips') return wanted.every((clause) => hasFixedIp(view, clause));
  const value = view[name];
  if (value === undefined) return false;
  if (Array.isArray(value)) return wanted.every((text) => text.split(',').every((part) => value.includes(part)));
  return wanted.some(
    (text) => text === pythonStr(value ?? '') || (typeof value === 'boolean' && text.toLowerCase() === String(value)),
  );
}

/** `fixed_ips=ip_address=10.10.0.5` or `fixed_ips=subnet_id=...`. */
function hasFixedIp(view: JsonObject, clause: string): boolean {
  const [key, wanted] = clause.split('=');
  const list = view.fixed_ips;
  return Array.isArray(list) && list.some((ip) => isJsonObject(ip) && ip[key ?? ''] === wanted);
}

function paged(call: Call, views: JsonObject[]): JsonObject[] {
  const limit = call.query.get('limit');
  const marker = call.query.get('marker');
  const from = marker === null ? 0 : views.findIndex((view) => view.id === marker) + 1;
  return limit === null ? views.slice(from) : views.slice(from, from + Number(limit));
}

function withFields(call: Call, views: JsonObject[]): JsonObject[] {
  const fields = call.query.getAll('fields').flatMap((text) => text.split(','));
  if (fields.length === 0) return views;
  return views.map((view) => Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name))));
}
