import { shortId } from '../state/ids.js';
import { computeError } from '../http/nova-errors.js';
import { neutronError } from '../network/neutron-errors.js';
import type { ArmedFault, Fault } from './fault.js';

type OfKind<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

/** The faults that are armed, and what they do to whom. */
export class Faults {
  readonly #armed = new Map<string, ArmedFault>();

  constructor(private readonly expireTokens: () => void) {}

  /** Arms a fault; `expire-tokens` happens at once. @returns the id by which it can be disarmed. */
  add(fault: Fault): string {
    checkPatterns(fault);
    const id = shortId();
    if (fault.kind === 'expire-tokens') this.expireTokens();
    else this.#armed.set(id, { id, fault, struck: 0 });
    return id;
  }

  /** @returns false where there is no such fault. */
  remove = (id: string): boolean => this.#armed.delete(id);

  clear(): void {
    this.#armed.clear();
  }

  list = (): ArmedFault[] => [...this.#armed.values()].map((armed) => ({ ...armed }));

  /** The fault of this kind that strikes a request now; it counts as struck. */
  onRequest<K extends 'lost-answer' | 'status' | 'hang'>(kind: K, method: string, path: string): OfKind<K> | undefined {
    return this.strike(kind, (fault: OfKind<'lost-answer' | 'status' | 'hang'>) => {
      return (fault.method ?? method) === method && new RegExp(fault.path).test(path);
    });
  }

  /** How long a stack of that name is to wait, in milliseconds. */
  stackDelay(name: string): number {
    const fault = this.strike('slow-stack', (one) => one.stackName === undefined || new RegExp(one.stackName).test(name));
    return fault?.delayMs ?? 0;
  }

  /** How long the stop or start of a server of that name is to take, in milliseconds. */
  powerDelay(name: string): number {
    const fault = this.strike('slow-power', (one) => one.serverName === undefined || new RegExp(one.serverName).test(name));
    return fault?.delayMs ?? 0;
  }

  /** Why the action on the resource is to fail, if it is. */
  resourceFailure(where: { stack: string; resource: string; type: string; action: string }): string | undefined {
    const fault = this.strike(
      'fail-resource',
      (one) =>
        (one.resource === where.resource || one.resource === where.type) &&
        (one.action ?? 'CREATE') === where.action &&
        (one.stackName === undefined || new RegExp(one.stackName).test(where.stack)),
    );
    return fault?.reason;
  }

  /** @throws HttpFailure as the service refuses when the quota is used up. */
  checkQuota = (service: 'nova' | 'neutron' | 'cinder', what: string): void => {
    if (this.strike('quota-exceeded', (one) => one.service === service) === undefined) return;
    if (service === 'neutron') throw neutronError(409, 'OverQuota', `Quota exceeded for resources: ['${what}'].`);
    if (service === 'cinder') {
      throw computeError(413, "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'.");
    }
    throw computeError(403, `Quota exceeded for ${what}: Requested 1, but already used 10 of 10 ${what}`);
  };

  private strike<K extends Fault['kind']>(kind: K, matches: (fault: OfKind<K>) => boolean): OfKind<K> | undefined {
    for (const armed of this.#armed.values()) {
      const fault = ofKind(armed.fault, kind);
      if (fault === undefined || !matches(fault)) continue;
      armed.struck += 1;
      if ('times' in fault && fault.times !== 'always' && armed.struck >= fault.times) this.#armed.delete(armed.id);
      return fault;
    }
    return undefined;
  }
}

const ofKind = <K extends Fault['kind']>(fault: Fault, kind: K): OfKind<K> | undefined =>
  Object.is(fault.kind, kind) ? (fault as OfKind<K>) : undefined;

/** A pattern that is none is refused when it is armed, not when a request comes. */
function checkPatterns(fault: Fault): void {
  if ('path' in fault) new RegExp(fault.path);
  if ('stackName' in fault) new RegExp(fault.stackName);
  if ('serverName' in fault) new RegExp(fault.serverName);
}
