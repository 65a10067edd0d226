import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { timingSafeEqual } from 'node:crypto';
import { HttpFailure, ok, type Call } from '../http/answer.js';
import { Router } from '../http/router.js';
import type { Service } from '../http/service.js';
import type { ProjectInventory } from '../state/inventory.js';
import type { Fault } from './fault.js';
import type { Faults } from './faults.js';

export interface LabApiParts {
  token: string;
  faults: Faults;
  inventory(): ProjectInventory[];
}

const refuse = (status: number, message: string): HttpFailure =>
  new HttpFailure(status, message, { error: { code: status, message } });

/** The lab's own path: arming faults, and what exists. It takes the lab's token in `X-Lab-Token`, never a user's. */
export function labServices(parts: LabApiParts): Service[] {
  return [labService('/_faults', faultRoutes(parts)), labService('/_inventory', inventoryRoutes(parts))];
}

const labService = (prefix: string, router: Router): Service => ({
  name: 'lab',
  prefix,
  router,
  isOpen: () => true,
  headers: () => ({}),
  unauthorized: () => refuse(401, 'X-Lab-Token is missing or wrong'),
  notFound: () => refuse(404, 'no such path'),
  wrongMethod: () => refuse(405, 'method not allowed'),
  badJson: (problem) => refuse(400, problem),
  failure: refuse,
});

function faultRoutes(parts: LabApiParts): Router {
  return new Router()
    .on('GET', '/', (call) => {
      mustBeLab(parts, call);
      return ok({
        faults: parts.faults.list().map((armed) => ({ id: armed.id, struck: armed.struck, fault: { ...armed.fault } })),
      });
    })
    .on('POST', '/', (call) => {
      mustBeLab(parts, call);
      return { status: 201, body: { id: arm(parts.faults, call.json) } };
    })
    .on('DELETE', '/', (call) => {
      mustBeLab(parts, call);
      parts.faults.clear();
      return { status: 204 };
    })
    .on('DELETE', '/:id', (call) => {
      mustBeLab(parts, call);
      if (!parts.faults.remove(call.params.id ?? '')) throw refuse(404, `no fault ${call.params.id}`);
      return { status: 204 };
    });
}

function inventoryRoutes(parts: LabApiParts): Router {
  return new Router().on('GET', '/', (call) => {
    mustBeLab(parts, call);
    return ok(parts.inventory().map((one) => ({ ...one })));
  });
}

function mustBeLab(parts: LabApiParts, call: Call): void {
  const given = Buffer.from(String(call.headers['x-lab-token'] ?? ''));
  const wanted = Buffer.from(parts.token);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw refuse(401, 'X-Lab-Token is missing or wrong');
}

const KINDS: Record<Fault['kind'], string[]> = {
  'slow-stack': ['delayMs', 'times'],
  'slow-power': ['delayMs', 'times'],
  'fail-resource': ['resource', 'reason', 'times'],
  'lost-answer': ['path', 'times'],
  status: ['path', 'status', 'times'],
  hang: ['path', 'times'],
  'quota-exceeded': ['service', 'times'],
  'expire-tokens': [],
};

function arm(faults: Faults, body: Json | undefined): string {
  if (!isJsonObject(body)) throw refuse(400, 'a fault is an object');
  const kind = typeof body.kind === 'string' ? body.kind : '';
  const needed = KINDS[kind as Fault['kind']] as string[] | undefined;
  if (needed === undefined) throw refuse(400, `kind must be one of ${Object.keys(KINDS).join(', ')}`);
  const absent = needed.filter((name) => body[name] === undefined);
  if (absent.length > 0) throw refuse(400, `${kind} needs ${absent.join(', ')}`);
  try {
    return faults.add(body as JsonObject & Fault);
  } catch (error) {
    throw refuse(400, error instanceof Error ? error.message : String(error));
  }
}
