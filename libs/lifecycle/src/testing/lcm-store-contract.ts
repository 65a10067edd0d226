import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import type { NewInternal } from '../records/internal-operation.js';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import { instanceChange, operationChange, type LcmChange } from '../events/changes.js';
import type { LcmStore, PackageRecord } from '../ports.js';
import type { LcmEvent } from '../events/events.js';
import type { RegisteredVim } from './memory-lcm-store.js';
import { instanceRecord, opOccRecord, packageRecord, TENANT } from './records.js';

/** A store under test, with methods that write what other services write. */
export interface LcmStoreUnderTest {
  store: LcmStore;
  addPackage(record: PackageRecord): Promise<void>;
  addInstance(record: VnfInstanceRecord): Promise<void>;
  /** Accepts an operation as lcm-api does. Rejects when another operation of the instance is not final. */
  accept(opOcc: OpOccRecord): Promise<void>;
  addVim(vim: RegisteredVim): Promise<void>;
  addDriver(description: DriverDescription): Promise<void>;
  /** The changes that a subscriber to everything of this tenant would be told, in their order. */
  changes(): Promise<LcmChange[]>;
  /** The events that were published since the store was made, in their order. */
  events(): Promise<LcmEvent[]>;
}

/** The contract of every store of the lifecycle's records: the store in memory and PostgreSQL's. */
export function describeLcmStore(name: string, make: () => LcmStoreUnderTest): void {
  const setUp = async () => {
    const under = make();
    const pkg = packageRecord(randomUUID());
    await under.addPackage(pkg);
    const instance = instanceRecord({ id: randomUUID(), vnfPkgId: pkg.id, metadata: { a: 1 } });
    await under.addInstance(instance);
    const opOcc = opOccRecord({ id: randomUUID(), vnfInstanceId: instance.id, request: { flavourId: 'f', password: 'p' } });
    await under.accept(opOcc);
    const read = <T>(look: (handle: unknown) => Promise<T>): Promise<T> => under.store.transact(look);
    return { ...under, pkg, instance, opOcc, read };
  };

  describe(`the lifecycle's store in ${name}`, () => {
    records(setUp);
    publications(setUp);
    changes(setUp);
    vims(setUp);
    internals(setUp);
  });
}

type SetUp = () => Promise<
  LcmStoreUnderTest & {
    pkg: PackageRecord;
    instance: VnfInstanceRecord;
    opOcc: OpOccRecord;
    read<T>(look: (handle: unknown) => Promise<T>): Promise<T>;
  }
>;

function records(setUp: SetUp): void {
  it('gives back occurrence, instance, package and driver as they were put in', async () => {
    const { store, opOcc, instance, pkg, read, addDriver } = await setUp();
    const description: DriverDescription = {
      contract: 2,
      driver: `d-${pkg.id}`,
      version: '1',
      service: 's',
      hooks: [],
      actions: [],
      parameters: {},
    };
    await addDriver(description);
    expect(await read((handle) => store.opOcc(handle, opOcc.id))).toEqual(opOcc);
    expect(await read((handle) => store.ageOfOpOcc(handle, opOcc.id))).toBeGreaterThanOrEqual(0);
    await expect(read((handle) => store.ageOfOpOcc(handle, randomUUID()))).rejects.toThrow('there is no operation occurrence');
    expect(await read((handle) => store.instance(handle, instance.id))).toEqual(instance);
    expect(await read((handle) => store.package(handle, pkg.id))).toEqual(pkg);
    expect(await read((handle) => store.driver(handle, description.driver))).toEqual(description);
    expect(await read((handle) => store.driver(handle, 'nobody'))).toBeUndefined();
  });

  it('answers 404 for what is not there', async () => {
    const { store, read } = await setUp();
    const id = randomUUID();
    for (const look of [store.opOcc, store.instance, store.package] as const)
      await expect(read((handle) => (look as LcmStore['opOcc']).call(store, handle, id))).rejects.toMatchObject({ status: 404 });
  });

  it('lets a transaction see its own writes, and keeps nothing of one that fails', async () => {
    const { store, opOcc, instance, read, events } = await setUp();
    const told = (await events()).length;
    const failing = store.transact(async (handle) => {
      await store.saveOpOcc(handle, { ...opOcc, operationState: 'PROCESSING' });
      await store.saveInstance(handle, { ...instance, vnfInstanceName: 'other' });
      await store.emit(handle, [{ subject: 'windlass.event.operation.PROCESSING', message: {} }]);
      expect((await store.opOcc(handle, opOcc.id)).operationState).toBe('PROCESSING');
      expect((await store.instance(handle, instance.id)).vnfInstanceName).toBe('other');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await read((handle) => store.opOcc(handle, opOcc.id))).toEqual(opOcc);
    expect(await read((handle) => store.instance(handle, instance.id))).toEqual(instance);
    expect(await events()).toHaveLength(told);
  });

  it('hands out copies: what a reader does to them changes no record', async () => {
    const { store, opOcc, read } = await setUp();
    await read(async (handle) => {
      const mine = await store.opOcc(handle, opOcc.id);
      mine.draft.graceUntil = 'never';
    });
    expect((await read((handle) => store.opOcc(handle, opOcc.id))).draft).toEqual({});
  });

  it('holds the instance for one operation until that is final', async () => {
    const { store, opOcc, instance, accept } = await setUp();
    const second = opOccRecord({ id: randomUUID(), vnfInstanceId: instance.id });
    for (const operationState of ['STARTING', 'PROCESSING', 'FAILED_TEMP', 'ROLLING_BACK'] as const) {
      await store.transact((handle) => store.saveOpOcc(handle, { ...opOcc, operationState }));
      await expect(accept(second), operationState).rejects.toThrow();
    }
    await store.transact((handle) => store.saveOpOcc(handle, { ...opOcc, operationState: 'FAILED' }));
    await accept(second);
  });
}

function publications(setUp: SetUp): void {
  it('publishes an instance by compare and set: the one who read an older version is refused', async () => {
    const { store, instance, read } = await setUp();
    await store.transact((handle) => store.saveInstance(handle, { ...instance, vnfInstanceName: 'first' }));
    const second = store.transact((handle) => store.saveInstance(handle, { ...instance, vnfInstanceName: 'second' }));
    await expect(second).rejects.toThrow(/version 0/);
    const kept = await read((handle) => store.instance(handle, instance.id));
    expect(kept).toEqual({ ...instance, vnfInstanceName: 'first', version: 1 });
  });

  it('publishes events in their order, with the transaction', async () => {
    const { store, events } = await setUp();
    const told = (await events()).length;
    const event = (n: number): LcmEvent => ({ subject: `windlass.event.operation.PROCESSING`, message: { n } });
    await store.transact(async (handle) => {
      await store.emit(handle, [event(1), event(2)]);
      await store.emit(handle, []);
      await store.emit(handle, [event(3)]);
    });
    expect((await events()).slice(told)).toEqual([event(1), event(2), event(3)]);
  });
}

function changes(setUp: SetUp): void {
  it('keeps what subscribers are to be told in its order, with the transaction', async () => {
    const { store, opOcc, instance, changes } = await setUp();
    const told = (await changes()).length;
    const failing = store.transact(async (handle) => {
      await store.notify(handle, operationChange(opOcc));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    const resourceChanges = { affectedVnfcs: [] };
    await store.transact(async (handle) => {
      await store.notify(handle, instanceChange('created', instance));
      await store.notify(handle, operationChange({ ...opOcc, resourceChanges }));
      await store.notify(handle, operationChange({ ...opOcc, operationState: 'COMPLETED', resourceChanges }));
    });
    const heard = (await changes()).slice(told);
    expect(heard.map((change) => (change.about === 'vnf' ? change.change : change.opOcc.operationState))).toEqual([
      'created',
      'STARTING',
      'COMPLETED',
    ]);
    expect(heard.map((change) => (change.about === 'vnf' ? null : change.opOcc.resourceChanges))).toEqual([
      null,
      null,
      resourceChanges,
    ]);
  });
}

function vims(setUp: SetUp): void {
  const access = {
    authUrl: 'http://vim/identity/v3',
    username: 'u',
    password: 'the password',
    userDomainName: 'Default',
    projectName: 'p',
    projectDomainName: 'Default',
    verifyTls: true,
  };
  const naming = (vimId: string): JsonObject => ({
    vimConnectionInfo: [{ id: 'c1', vimId, vimType: 'ETSINFV.OPENSTACK_KEYSTONE.v_3' }],
  });

  it('chooses the VIM that the request names, else the default one of the project, else none', async () => {
    const { store, addVim, read, instance } = await setUp();
    const tenant: string = randomUUID();
    const choose = (request: JsonObject, of = tenant) => read((handle) => store.chooseVim(handle, of, request));
    await expect(choose({})).rejects.toMatchObject({ code: 'vim.none' });
    const [one, two] = [randomUUID(), randomUUID()];
    await addVim({ id: one, tenant, isDefault: true, access });
    await addVim({ id: two, tenant, isDefault: false, access });
    expect(await choose({})).toEqual({ vimId: one, connectionId: one });
    expect(await choose(naming(two))).toEqual({ vimId: two, connectionId: 'c1' });
    await expect(choose(naming(two), TENANT)).rejects.toMatchObject({ code: 'vim.unknown' });
    const chosen = { vimId: two, connectionId: 'c1' };
    expect(await read((handle) => store.vimAccess(handle, tenant, chosen, instance, {}))).toEqual({
      connectionId: 'c1',
      ...access,
    });
  });

  it('never takes a cluster for an OpenStack, whatever the request calls it: its API is sent no login of Keystone', async () => {
    const { store, addVim, read, instance } = await setUp();
    const [tenant, id] = [randomUUID() as string, randomUUID() as string];
    await addVim({ id, tenant, isDefault: true, access, cluster: { authUrl: 'https://cluster.example', token: 'a token' } });
    const other = { code: 'vim.other-kind' };
    await expect(read((handle) => store.chooseVim(handle, tenant, naming(id)))).rejects.toMatchObject(other);
    const choice = { vimId: id, connectionId: 'c1' };
    await expect(read((handle) => store.vimAccess(handle, tenant, choice, instance, {}))).rejects.toMatchObject(other);
    await expect(read((handle) => store.internalVimAccess(handle, tenant, { choice }))).rejects.toMatchObject(other);
  });

  it('takes a VIM that only the request describes', async () => {
    const { store, read, instance } = await setUp();
    const described = {
      id: 'mine',
      vimType: 'ETSINFV.OPENSTACK_KEYSTONE.v_3',
      interfaceInfo: { endpoint: access.authUrl },
      accessInfo: { username: 'u', password: 'the password', project: 'p' },
    };
    const request = { vimConnectionInfo: [described] };
    const choice = await read((handle) => store.chooseVim(handle, TENANT, request));
    expect(choice).toEqual({ connectionId: 'mine' });
    const found = await read((handle) => store.vimAccess(handle, TENANT, choice, instance, request));
    expect(found).toEqual({ connectionId: 'mine', ...access });
    const said = async (interfaceInfo: JsonObject) => {
      const given = { ...described, interfaceInfo: { ...described.interfaceInfo, ...interfaceInfo } };
      return read((handle) => store.vimAccess(handle, TENANT, choice, instance, { vimConnectionInfo: [given] }));
    };
    const [skipped, ca] = [{ skipCertificateHostnameCheck: true }, { trustedCertificates: 'PEM' }];
    expect(await said({ ...skipped, ...ca })).toEqual({ ...found, verifyHostname: false, ca: 'PEM' });
    expect(await said({ skipCertificateVerification: true })).toEqual({ ...found, verifyTls: false });
    expect(await said({ skipCertificateVerification: 'no', skipCertificateHostnameCheck: 'no' })).toEqual(found);
  });
}

function internals(setUp: SetUp): void {
  const vim = { choice: { connectionId: 'c' } };
  const cleanUp = (vnfInstanceId: string): NewInternal<'CLEAN_UP'> => ({
    kind: 'CLEAN_UP',
    tenant: TENANT,
    vnfInstanceId,
    vimId: null,
    subject: { vim, stack: { name: 's' }, images: ['i'], vims: [] },
  });

  it('keeps an internal saga with the transaction that begins it', async () => {
    const { store, read } = await setUp();
    const requested = cleanUp(randomUUID());
    const id = await store.transact((handle) => store.beginInternal(handle, requested));
    const begun = await read((handle) => store.internal<'CLEAN_UP'>(handle, id));
    expect(begun).toMatchObject({ ...requested, id, state: 'PENDING', attempts: 0, retryAt: null, error: null, outcome: null });
    const changed = { ...begun, state: 'DONE' as const, attempts: 1, outcome: { a: 1 } };
    await store.transact((handle) => store.saveInternal(handle, changed));
    expect(await read((handle) => store.internal(handle, id))).toEqual(changed);
    const failing = store.transact(async (handle) => {
      await store.saveInternal(handle, { ...changed, attempts: 2 });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await read((handle) => store.internal(handle, id))).toEqual(changed);
    await expect(read((handle) => store.internal(handle, randomUUID()))).rejects.toMatchObject({ status: 404 });
  });

  it('says for an audit what each instance has, and on which of them something works', async () => {
    const { store, read, instance, opOcc, pkg, addInstance } = await setUp();
    const leftovers = { stack: { name: 's', id: 'stack' }, vim: { vimId: randomUUID(), connectionId: 'c' }, images: ['i'] };
    const left = instanceRecord({ id: randomUUID(), vnfPkgId: pkg.id, leftovers });
    await addInstance(left);
    const look = (since?: Date) => read((handle) => store.auditView(handle, since));
    const seen = await look();
    const { stack, vim: held, images } = leftovers;
    const expected = { vnfInstanceId: left.id, tenant: left.tenant, instantiationState: 'NOT_INSTANTIATED' };
    expect(seen.vnfs).toContainEqual({ ...expected, vim: held, stack, images, resources: [], leftover: true });
    expect(seen.busy).toContain(instance.id);
    expect(seen.busy).not.toContain(left.id);
    await store.transact((handle) =>
      store.saveOpOcc(handle, { ...opOcc, operationState: 'COMPLETED', stateEnteredTime: new Date(seen.at) }),
    );
    expect((await look()).busy).not.toContain(instance.id);
    expect((await look(new Date(seen.at))).busy, 'what has ended since').toContain(instance.id);
    const id = await store.transact((handle) => store.beginInternal(handle, cleanUp(left.id)));
    const pending = await look();
    expect(pending.busy).toContain(left.id);
    expect(pending.waiting.map((each) => each.id)).not.toContain(id);
    await store.transact(async (handle) => store.saveInternal(handle, { ...(await store.internal(handle, id)), attempts: 1 }));
    expect((await look()).waiting).toContainEqual({
      ...{ id, kind: 'CLEAN_UP', tenant: TENANT, vnfInstanceId: left.id },
      ...{ state: 'PENDING', attempts: 1, retryAt: null, error: null },
    });
  });

  it('takes a VIM out of the registry, or does nothing where it is not in it', async () => {
    const { store, read, addVim } = await setUp();
    const [tenant, id] = [randomUUID(), randomUUID()];
    const access = { authUrl: 'http://vim', username: 'u', password: 'p', userDomainName: 'Default', projectName: 'p' };
    await addVim({ id, tenant, isDefault: true, access: { ...access, projectDomainName: 'Default', verifyTls: true } });
    const choose = () => read((handle) => store.chooseVim(handle, tenant, {}));
    const failing = store.transact(async (handle) => {
      await store.unregisterVim(handle, tenant, id);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await choose()).toMatchObject({ vimId: id });
    for (let times = 0; times < 2; times++) await store.transact((handle) => store.unregisterVim(handle, tenant, id));
    await expect(choose()).rejects.toMatchObject({ code: 'vim.none' });
  });
}
