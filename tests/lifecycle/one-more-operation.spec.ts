import { RequestError, SecretPlaces, type JsonObject } from '@windlass/foundation';
import { checkRequest, PublicUrl, Rendering, routesOf, type DriverChecks } from '@windlass/lcm-api';
import { LifecycleOwner, OperationTable, type RequestLookups, type VnfInstanceRecord } from '@windlass/lifecycle';
import { instanceRecord, MemoryLcmStore, opOccRecord, packageRecord, TENANT } from '@windlass/lifecycle/testing';
import type { ValidateRequest } from '@windlass/mgmt-driver';
import { Coordinator, defaultPolicy } from '@windlass/saga';
import { MemoryJournal } from '@windlass/saga/testing';
import { initialState, validateBody } from '@windlass/sol003';
import { schemaErrors } from '@windlass/sol003/schemas';
import type { VnfPackageModel } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import {
  FAILING_LINK,
  linkRequest,
  REFUSED_LINK,
  sampleOperation,
  withoutSample,
  withSample,
} from './support/sample-operation.js';

const OPERATION = sampleOperation.operation;
const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
const PATH = `/vnflcm/v1/vnf_instances/${INSTANCE}/change_ext_conn`;
const DRIVER = 'a-driver';

const pkg = {
  ...packageRecord('11111111-1111-4111-8111-111111111111'),
  model: {
    flavours: [
      {
        id: 'simple',
        vdus: [],
        cps: [],
        scalingAspects: [],
        instantiationLevels: [],
        lcmBindings: {
          change_external_connectivity_end: { implementation: DRIVER },
          scale_start: { implementation: 'another-driver' },
        },
      },
    ],
  } as unknown as VnfPackageModel,
};
const instance: VnfInstanceRecord = instanceRecord({
  id: INSTANCE,
  vnfPkgId: pkg.id,
  instantiationState: 'INSTANTIATED',
  instantiated: {
    info: { flavourId: 'simple', vnfState: 'STARTED' },
    stack: { name: 'vnf' },
    vnfcs: [],
    sharedCps: [],
    vim: { vimId: 'v', connectionId: 'v' },
    images: [],
  },
});

const nothingToLookUp = new Proxy({} as RequestLookups, {
  get: (_target, name) => () => Promise.reject(new Error(`the sample looks nothing up, and asked for ${String(name)}`)),
});

const secrets = { of: () => Promise.resolve(SecretPlaces.none) };
const rendering = (table: OperationTable) => new Rendering(new PublicUrl('http://h'), { secrets }, table);

/** As lcm-api takes a request; what the driver was asked stands in `asked`. */
async function checked(body: JsonObject, asked: [ValidateRequest, readonly string[]][] = []) {
  const drivers: DriverChecks = {
    secrets,
    validate: (_name, _tenant, request, { hooks }) => {
      asked.push([request, hooks]);
      return Promise.resolve({ invalidParams: [], warnings: ['the driver knows it'], normalised: { a: 1 } });
    },
  };
  const definition = withSample.at('POST', 'change_ext_conn')!;
  const request = validateBody(definition.body, body) as JsonObject;
  const flavourId = withSample.flavourIdOf({ operation: OPERATION, request }, instance);
  return checkRequest(definition, { request, instance, package: pkg, flavourId, lookups: nothingToLookUp, drivers });
}

/** The engine with the table, and the operation accepted and begun. */
async function begun(request: JsonObject, operations = withSample) {
  const journal = new MemoryJournal();
  const store = new MemoryLcmStore();
  store.packages.set(pkg.id, pkg);
  store.instances.set(INSTANCE, instance);
  const coordinator = (table: OperationTable) =>
    new Coordinator({
      journal,
      owner: new LifecycleOwner(store, { operations: table }),
      policy: defaultPolicy,
      wakeUpSender: { notify: () => Promise.resolve() },
    });
  const id = '00000000-0000-4000-8000-000000000001';
  store.accept(
    opOccRecord({ id, vnfInstanceId: INSTANCE, operation: OPERATION, operationState: initialState(OPERATION), request }),
  );
  journal.accept({ id, kind: OPERATION, tenant: TENANT });
  await coordinator(operations).begin(id);
  return {
    record: () => store.opOccs.get(id)!,
    state: () => store.opOccs.get(id)?.operationState,
    error: () => store.opOccs.get(id)?.error,
    metadata: () => store.instances.get(INSTANCE)?.metadata,
    steps: journal.steps.get(id)?.map((step) => step.id),
    fail: (table = operations) => coordinator(table).abandon(id),
  };
}

describe('an operation that is a row in the table', () => {
  it('has its route, which is no resource without the row', () => {
    expect(routesOf(withSample).methodsOf(PATH)).toEqual(['POST']);
    expect(routesOf(withSample).changing()).toContain('POST /vnflcm/v1/vnf_instances/:id/change_ext_conn');
    expect(routesOf(withoutSample).methodsOf(PATH)).toBeUndefined();
  });

  it('is linked to from an instance in a state that it may start in, and not without the row', async () => {
    const linksOf = async (table: OperationTable, record: VnfInstanceRecord) =>
      (await rendering(table).vnfInstance(record))._links;
    expect(await linksOf(withSample, instance)).toMatchObject({ changeExtConn: { href: `http://h${PATH}` } });
    const before = instanceRecord({ id: INSTANCE, vnfPkgId: pkg.id });
    expect(await linksOf(withSample, before)).not.toHaveProperty('changeExtConn');
    expect(await linksOf(withoutSample, instance)).not.toHaveProperty('changeExtConn');
  });

  it('is accepted: its body by its class, then by its checks, then by the driver of its hook', async () => {
    const asked: [ValidateRequest, readonly string[]][] = [];
    expect(await checked(linkRequest('net1'), asked)).toEqual({
      request: { ...linkRequest('net1'), additionalParams: { a: 1 } },
      warnings: ['the driver knows it', 'links: 1'],
      drivers: ['another-driver', DRIVER],
      needs: [],
      vimNames: [],
      ranges: [],
      ipv4Cps: [],
    });
    expect(asked).toMatchObject([[{ operation: OPERATION, flavour: { id: 'simple' } }, ['change_external_connectivity_end']]]);
    await expect(checked({})).rejects.toMatchObject({ status: 400, invalidParams: [{ path: '/extVirtualLinks' }] });
    await expect(checked(linkRequest(REFUSED_LINK), asked)).rejects.toMatchObject({
      invalidParams: [{ path: '/extVirtualLinks/0/id' }],
    });
    expect(asked).toHaveLength(1);
  });

  it.each(withSample.all)(
    'asks the driver about each hook of $operation that is bound to it, before the 202',
    async (definition) => {
      const bound = { [`${definition.hooks}_start`]: { implementation: DRIVER } };
      const [flavour] = pkg.model.flavours;
      const model = { flavours: [{ ...flavour, lcmBindings: bound }] } as unknown as VnfPackageModel;
      const drivers: DriverChecks = {
        secrets,
        validate: (name, _tenant, { operation }, { hooks }) =>
          Promise.reject(new RequestError(409, 'driver.no-hook', `${name}: ${operation} needs ${hooks.join()}`)),
      };
      const unchecked = {
        ...definition,
        isTaskOf: () => true,
        checkBeforeDrivers: ({ request }: { request: object }) => request,
        // What no check has found right comes to nothing that could be told.
        effect: () => ({}),
      };
      const toCheck = {
        request: {},
        instance,
        package: { ...pkg, model },
        flavourId: 'simple',
        lookups: nothingToLookUp,
        drivers,
      };
      await expect(checkRequest(unchecked, toCheck)).rejects.toMatchObject({
        status: 409,
        message: `${DRIVER}: ${definition.operation} needs ${definition.hooks}_start`,
      });
    },
  );

  it('is planned, its inline steps run up to COMPLETED, and its occurrence is shown', async () => {
    const { state, metadata, steps, record } = await begun(linkRequest('net1'));
    const shown = await rendering(withSample).opOcc(record(), undefined);
    expect(schemaErrors('VnfLcmOpOcc', shown)).toEqual([]);
    expect(shown).toMatchObject({ operation: OPERATION, operationState: 'COMPLETED', operationParams: linkRequest('net1') });
    expect(steps).toEqual(['grant', 'note-link']);
    expect([state(), metadata()]).toEqual(['COMPLETED', { network: 'net1' }]);
  });

  it('says itself what is kept of it when it is marked as failed', async () => {
    const { state, metadata, fail } = await begun(linkRequest(FAILING_LINK));
    expect([state(), metadata()]).toEqual(['FAILED_TEMP', null]);
    await fail();
    expect([state(), metadata()]).toEqual(['FAILED', { left: OPERATION }]);
  });

  it('is not planned by a release without the row', async () => {
    const { state, error } = await begun(linkRequest('net1'), withoutSample);
    expect([state(), error()?.detail]).toEqual(['ROLLED_BACK', `there is no definition of ${OPERATION}`]);
  });

  it('can be marked as failed under a release without the row', async () => {
    const { state, metadata, fail } = await begun(linkRequest(FAILING_LINK));
    await fail(withoutSample);
    expect([state(), metadata()]).toEqual(['FAILED', null]);
  });
});

describe('the table', () => {
  it('takes no two rows of one operation, and no two at one route', () => {
    expect(() => new OperationTable([sampleOperation, sampleOperation])).toThrow(OPERATION);
    const { route } = withSample.of('HEAL');
    expect(() => new OperationTable([withSample.of('HEAL'), { ...sampleOperation, route }])).toThrow('POST heal');
  });
});
