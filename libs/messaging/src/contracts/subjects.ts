import { InvariantError } from '@windlass/foundation';

/** One token of a NATS subject of ours: what services, drivers, verbs and states are called. */
const TOKEN = /^[a-z0-9][a-z0-9_-]*$/i;

function token(text: string): string {
  if (!TOKEN.test(text)) throw new InvariantError(`"${text}" can't be a token of a NATS subject: letters, digits, - and _ only`);
  return text;
}

export type SagaVerb = 'claim' | 'renew' | 'renew-all' | 'result' | 'enrol';
export type DriverVerb = 'describe' | 'validate' | 'plan';

/** Every subject Windlass uses (docs/architecture.md, section 3). */
export const subjects = {
  /** The wake-up of a service: JetStream, work queue. */
  step: (service: string): string => `windlass.step.${token(service)}`,
  /** Request/reply to any coordinator. */
  saga: (verb: SagaVerb): string => `windlass.saga.${verb}`,
  /** Request/reply to a management driver, which is named as in the VNFD. */
  mgmt: (driver: string, verb: DriverVerb): string => `windlass.mgmt.${token(driver)}.${verb}`,
  /** Request/reply to vim-registry: administration, for lcm-api alone. */
  vim: (verb: string): string => `windlass.vim.${token(verb)}`,
  /** Request/reply to vim-registry: what a claim may ask. */
  vimClaim: (verb: string): string => `windlass.vim-claim.${token(verb)}`,
  /** Request/reply to lcm-api, about package content. */
  package: (verb: string): string => `windlass.package.${token(verb)}`,
  /** Request/reply to the infra driver, about scripts of packages. */
  userData: (verb: string): string => `windlass.user-data.${token(verb)}`,
  /** Request/reply to any coordinator, about grants. */
  grant: (verb: string): string => `windlass.grant.${token(verb)}`,
  /** JetStream, kept for a while; nothing depends on it. */
  event: {
    operation: (state: string): string => `windlass.event.operation.${token(state)}`,
    vnf: (change: 'created' | 'deleted'): string => `windlass.event.vnf.${change}`,
    package: (change: 'onboarded' | 'enabled' | 'disabled' | 'deleted'): string => `windlass.event.package.${change}`,
    all: 'windlass.event.>',
  },
} as const;

/** The durable pull consumer that all replicas of a service share. */
export const stepConsumer = (service: string): string => `step-${token(service)}`;
