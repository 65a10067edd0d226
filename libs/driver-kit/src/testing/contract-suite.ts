import { InvariantError, masked, type JsonObject } from '@windlass/foundation';
import {
  HOOKS,
  schemaFaults,
  secretParameters,
  SOURCES,
  type HookContext,
  type OperationOnInstance,
  type ValidateRequest,
} from '@windlass/mgmt-driver';
import { descriptionRule, mgmtContracts } from '@windlass/messaging';
import { privateKeyFault } from '@windlass/remote-host';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { compileBounded, type ActionContract, type PlanBounds } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import type { DriverParts } from '../service/start-drivers.js';
import { FakeVims } from './fake-vims.js';
import { packagesOf } from './packages-of.js';

/** A driver, and examples of what it is asked. */
export interface ContractSuite {
  parts: DriverParts;
  /** `additionalParams` that the driver takes, with secrets. */
  params: JsonObject;
  /** The secrets among the parameters: the schema must mark each. */
  secrets: readonly string[];
  /** Actions of other services that the driver's plans use. */
  uses?: readonly ActionContract[];
  /** The instantiation in which they stand. */
  request: ValidateRequest;
  /** An example of each hook that the driver has. The suite puts the masked parameters in; an example with `requestParams` of its own keeps them. */
  hooks: readonly HookContext[];
  /** For each operation whose parameters the driver describes, an example of them with their secrets. */
  operations?: Readonly<Partial<Record<OperationOnInstance, { params: JsonObject; secrets: readonly string[] }>>>;
}

/** Holds a driver to its contract (docs/contracts/mgmt-driver.md), as far as the contract can be tested without NATS. */
export function driverContractSuite(title: string, suite: ContractSuite): void {
  const { parts, params, secrets, request, hooks, operations = {}, uses = [] } = suite;
  const { driver } = parts;
  const description = driver.describe();
  const places = secretParameters(description);
  const shown = masked(params, places);
  const told = hooks.map((hook): HookContext => {
    const own = Object.keys(hook.requestParams).length > 0;
    return { ...hook, instantiateParams: shown, requestParams: own ? masked(hook.requestParams, places) : shown };
  });
  const contracts = mgmtContracts(description.driver);
  const bound = () =>
    parts.actions({
      hosts: new FakeHosts(),
      vims: new FakeVims(() => request.vnfInstanceId),
      packages: packagesOf({}),
    });

  describe(`${title} and the contract of drivers`, () => {
    it('describes itself by the contract’s schema, the same each time', () => {
      expect(descriptionRule.check(description)).toMatchObject({ ok: true });
      expect(driver.describe()).toEqual(description);
    });

    it('describes exactly the actions that its service has', () => {
      const described = description.actions.map(({ name, version }) => `${name}@${version}`);
      expect(
        bound()
          .map(({ key }) => key)
          .sort(),
      ).toEqual(described.sort());
    });

    it('has its parameters marked so that no secret is shown', () => {
      for (const secret of secrets) {
        expect(JSON.stringify(params), 'the example has the secret').toContain(secret);
        expect(JSON.stringify(shown)).not.toContain(secret);
      }
    });

    it('takes the example of its parameters, and answers by the contract’s schema', () => {
      expect(schemaFaults(description.parameters, params, privateKeyFault)).toEqual([]);
      const reply = driver.validate({ ...request, requestParams: shown, instantiateParams: shown });
      expect(contracts.validate.answer.check({ reply })).toMatchObject({ ok: true });
      expect(reply.invalidParams).toEqual([]);
    });

    it('takes the examples of its operations’ parameters, and shows no secret of them', () => {
      expect(Object.keys(operations).sort()).toEqual(Object.keys(description.operationParameters ?? {}).sort());
      for (const [operation, schema] of Object.entries(description.operationParameters ?? {})) {
        const example = operations[operation as OperationOnInstance]!;
        expect(schemaFaults(schema, example.params, privateKeyFault), operation).toEqual([]);
        for (const secret of example.secrets) {
          expect(JSON.stringify(example.params), 'the example has the secret').toContain(secret);
          expect(JSON.stringify(masked(example.params, places)), operation).not.toContain(secret);
        }
      }
    });

    it('has an example of each of its hooks, and refuses all others', () => {
      expect([...new Set(told.map(({ hook }) => hook))].sort()).toEqual([...description.hooks].sort());
      const [example] = told;
      for (const hook of HOOKS.filter((each) => !description.hooks.includes(each)))
        expect(() => driver.plan({ ...example!, hook }), hook).toThrow(InvariantError);
    });

    it.each(told.map((context) => [context.hook, context] as const))(
      'plans %s within its bounds, the same each time, and changes nothing of what it was told',
      (_, context) => {
        const before = structuredClone(context);
        const plan = driver.plan(context);
        expect(driver.plan(context)).toEqual(plan);
        expect(context).toEqual(before);
        expect(contracts.plan.answer.check({ reply: plan })).toMatchObject({ ok: true });
        const actions = new Map(bound().map((action) => [action.key, action]));
        const { steps } = compileBounded(JSON.parse(JSON.stringify(plan)), 'hook', boundsOf(context));
        for (const { id, service, action, version, traits } of steps) {
          if (service !== description.service || traits.undoable === false) continue;
          const { undo } = actions.get(`${action}@${version}`)!;
          expect(undo, `${id} is said to be undoable, and ${action}@${version} has no undo`).toBeDefined();
        }
      },
    );
  });

  /** As libs/lifecycle sets them for the driver of a hook. */
  const boundsOf = ({ vnfcs, affectedVnfcs }: HookContext): PlanBounds => {
    const machines = [...vnfcs, ...affectedVnfcs.map(({ vnfc }) => vnfc)];
    return {
      driver: description.driver,
      service: description.service,
      actions: description.actions,
      offers: uses.map(({ service, name, version, accepts = {} }) => ({ service, name, version, input: accepts })),
      sources: new Set([
        ...[SOURCES.instantiateParams, SOURCES.requestParams, SOURCES.retryParams],
        ...vnfcs.map(({ id }) => SOURCES.vnfc(id)),
      ]),
      steps: new Set(),
      limits: new Set(machines.flatMap(({ id, resourceId }) => [`host:${id}`, `host:${resourceId}`])),
    };
  };
}
