import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { FakeVim } from '@windlass/openstack/testing';
import type { StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitingLooks } from '../looks/waiting-looks.js';
import { createStack } from './create-stack.action.js';
import { deleteStack } from './delete-stack.action.js';
import { uploadImage } from './images.actions.js';
import type { InfraContext, InfraSettings } from './infra-context.js';

const ID = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
const STACK = `/heat/v1/p/stacks/vnf-a/${ID}`;
const LOOK = `GET ${STACK}?resolve_outputs=false`;

describe('the deletion of a stack', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const shows = (status: string, more: JsonObject = {}): void => {
    const stack = { id: ID, stack_name: 'vnf-a', stack_status: status, creation_time: '2026-11-20T23:52:38Z', ...more };
    vim.on('GET', STACK, { status: 200, json: { stack: { tags: ['windlass-vnf-a'], parameters: {}, outputs: [], ...stack } } });
  };
  const contextOf = (epoch: number) => {
    const input = { vim: null as never, vnfInstanceId: 'a', stack: { name: 'vnf-a', id: ID } };
    const signal = new AbortController().signal;
    const told = { progress: () => undefined, onlyWaits: () => undefined };
    const run = { operationId: 'op', epoch, attempt: 1, resumed: false, input, signal, ...told };
    return {
      input,
      openStack,
      run: run as unknown as StepRun<typeof input>,
      settings: { stackWithin: minutes(1), absentFor: seconds(1) } as InfraSettings,
      packages: { open: () => Promise.reject(new Error('no packages here')) },
      looks: new WaitingLooks(),
    } satisfies InfraContext<typeof input>;
  };
  const asked = (): string[] => vim.serviceRequests.map(({ method, path }) => `${method} ${path}`);

  it('looks at it once before it is asked for, where nobody can have deleted it before', async () => {
    shows('CREATE_COMPLETE');
    vim.on('DELETE', STACK, () => {
      shows('DELETE_COMPLETE', { deletion_time: '2026-11-20T23:53:38Z' });
      return { status: 204 };
    });
    await expect(deleteStack.check?.(contextOf(1))).resolves.toBe(false);
    expect(asked()).toEqual([]);
    await deleteStack.apply(contextOf(1));
    expect(asked()).toEqual([LOOK, `DELETE ${STACK}`, LOOK]);
  });

  it('is seen to be done by a later claim, once the name is free', async () => {
    shows('DELETE_COMPLETE', { deletion_time: null });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(false);
    shows('DELETE_COMPLETE', { deletion_time: '2026-11-20T23:53:38Z' });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(true);
    vim.on('GET', STACK, { status: 404 });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(true);
    await deleteStack.apply(contextOf(2));
    expect(asked().filter((one) => one.startsWith('DELETE'))).toEqual([]);
  });

  it('is not asked for where the stack is somebody else’s, and no other of its name is touched', async () => {
    shows('CREATE_COMPLETE', { tags: ['windlass-vnf-b'] });
    await expect(deleteStack.apply(contextOf(1))).rejects.toMatchObject({ code: 'stack.not-ours' });
    expect(asked()).toEqual([LOOK]);
  });
});

describe('the creation of a stack', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const POST = 'POST /heat/v1/p/stacks';
  const NAMED = '/heat/v1/p/stacks/vnf-a';
  const input = {
    vim: null as never,
    vnfInstanceId: 'a',
    request: { stackName: 'vnf-a', template: {}, files: {}, parameters: {}, tags: ['windlass-vnf-a', 'windlass-op-op'] },
  };
  const contextOf = (epoch: number, more: Partial<StepRun> = {}) => {
    const signal = new AbortController().signal;
    const told = { progress: () => undefined, onlyWaits: () => undefined, assertLease: () => undefined };
    const run = { operationId: 'op', epoch, attempt: 1, resumed: false, input, signal, ...told, ...more };
    return {
      input,
      openStack,
      run: run as unknown as StepRun<typeof input>,
      settings: { stackWithin: minutes(1), absentFor: seconds(1) } as InfraSettings,
      packages: { open: () => Promise.reject(new Error('no packages here')) },
    } as unknown as Parameters<typeof createStack.apply>[0];
  };
  const stands = (tags: readonly string[]): void => {
    const stack = { id: ID, stack_name: 'vnf-a', stack_status: 'CREATE_COMPLETE', creation_time: '2026-11-20T23:52:38Z' };
    const answer = { status: 200, json: { stack: { ...stack, tags: [...tags], parameters: {}, outputs: [] } } };
    vim.on('GET', NAMED, answer);
    vim.on('GET', STACK, answer);
  };
  const asked = (): string[] => vim.serviceRequests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);

  it('is asked for without a look for its name, where nobody can have asked before', async () => {
    vim.on('POST', '/heat/v1/p/stacks', () => {
      stands(input.request.tags);
      return { status: 201, json: { stack: { id: ID, links: [] } } };
    });
    await expect(createStack.check?.(contextOf(1))).resolves.toBe(false);
    await expect(createStack.apply(contextOf(1))).resolves.toEqual({ stack: { name: 'vnf-a', id: ID } });
    expect(asked()).toEqual([POST, `GET ${STACK}`]);
  });

  it('is looked for by a later claim, which takes up what an earlier one has made, whose answer was lost', async () => {
    stands(input.request.tags);
    await expect(createStack.check?.(contextOf(2))).resolves.toMatchObject({ output: { stack: { id: ID } } });
    await createStack.apply(contextOf(2, { resumed: true }));
    expect(asked().filter((one) => one === POST)).toEqual([]);
  });

  it('touches nothing where Heat refuses because somebody else’s has the name', async () => {
    stands(['windlass-vnf-b']);
    const message = 'The Stack (vnf-a) already exists.';
    vim.on('POST', '/heat/v1/p/stacks', {
      status: 409,
      json: { error: { message, type: 'StackExists' }, code: 409, title: 'Conflict' },
    });
    await expect(createStack.apply(contextOf(1))).rejects.toMatchObject({ code: 'stack.not-ours' });
    expect(asked()[0]).toBe(POST);
    expect(asked().filter((one) => !one.startsWith('GET'))).toEqual([POST]);
  });
});

describe('the upload of an image', () => {
  const IMAGE = '6f6b0b6e-5a5e-4f6b-9d66-000000000001';
  const BYTES = 'four';
  const sha256 = createHash('sha256').update(BYTES).digest('hex');
  let vim: FakeVim;
  let openStack: OpenStack;
  let status: string | undefined;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
    status = undefined;
    const shown = () => ({
      id: IMAGE,
      name: 'i',
      status: status ?? '',
      tags: ['windlass-vnf-a'],
      size: 4,
      min_disk: 0,
      min_ram: 0,
    });
    vim.on('GET', `/glance/v2/images/${IMAGE}`, () => (status === undefined ? { status: 404 } : { status: 200, json: shown() }));
    vim.on('GET', '/glance/v2/images', { status: 200, json: { images: [] } });
    vim.on('POST', '/glance/v2/images', () => {
      if (status !== undefined) return { status: 409, text: 'there' };
      status = 'queued';
      return { status: 201, json: shown() };
    });
    vim.on('PUT', `/glance/v2/images/${IMAGE}/file`, () => {
      status = 'active';
      return { status: 204 };
    });
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const contextOf = (epoch: number) => {
    const image = { name: 'i', path: 'i.img', checksum: { algorithm: 'sha-256', hash: sha256 }, diskFormat: 'raw' };
    const sizes = { containerFormat: 'bare', minDisk: 0, minRam: 0, size: 4, vduId: 'VDU1' };
    const input = { vim: null, vnfInstanceId: 'a', vnfPkgId: 'p', imageId: IMAGE, image: { ...image, ...sizes } };
    const signal = new AbortController().signal;
    const told = { progress: () => undefined, assertLease: () => undefined };
    const run = { operationId: 'op', epoch, attempt: 1, resumed: epoch > 1, input, signal, ...told };
    const packages = { open: () => Promise.resolve({ size: 4, bytes: () => Readable.from([Buffer.from(BYTES)]) }) };
    const settings = { imageMovesWithin: minutes(1) };
    return { input, openStack, run, settings, packages } as unknown as Parameters<typeof uploadImage.apply>[0];
  };
  const asked = (): string[] =>
    vim.serviceRequests.map(
      ({ method, path }) => `${method} ${path.replace(/\?.*/, '').replace('/glance/v2', '').replace(IMAGE, 'ID')}`,
    );

  it('begins without a look, where nobody can have uploaded it before', async () => {
    await expect(uploadImage.check?.(contextOf(1))).resolves.toBe(false);
    await expect(uploadImage.apply(contextOf(1))).resolves.toEqual({ imageId: IMAGE });
    expect(asked()).toEqual(['POST /images', 'PUT /images/ID/file', 'GET /images/ID']);
  });

  it('sends nothing twice where an earlier operation has left the whole image', async () => {
    status = 'active';
    await expect(uploadImage.apply(contextOf(1))).resolves.toEqual({ imageId: IMAGE });
    expect(asked()).toEqual(['POST /images', 'GET /images/ID', 'GET /images']);
  });

  it('is looked for by a later claim: the answer to an earlier one’s may be lost', async () => {
    status = 'active';
    await expect(uploadImage.check?.(contextOf(2))).resolves.toMatchObject({ output: { imageId: IMAGE } });
    status = 'queued';
    await expect(uploadImage.check?.(contextOf(2))).resolves.toBe(false);
    await expect(uploadImage.apply(contextOf(2))).resolves.toEqual({ imageId: IMAGE });
    expect(asked().filter((one) => one.startsWith('POST'))).toEqual([]);
  });
});
