import { RequestError } from '@windlass/foundation';
import type { VnfInstanceRecord } from '@windlass/lifecycle';
import { instanceRecord, TENANT } from '@windlass/lifecycle/testing';
import { describe, expect, it } from 'vitest';
import { InstanceAnswers } from './instance-answers.js';

const ID = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';

/** An instance in a database that other replicas change, and drivers that may say something else. */
function setUp() {
  const row = { record: instanceRecord({ id: ID, vnfPkgId: 'p', vnfProvider: 'first' }), mark: '0 1', isThere: true };
  const drivers = { said: {} };
  const seen = { rendered: 0, read: 0 };
  const foundBy = (tenant: string) => {
    if (row.isThere && tenant === TENANT) return { record: row.record, mark: row.mark };
    throw new RequestError(404, 'vnf-instance.unknown', 'there is none');
  };
  const instances = {
    show: async (tenant: string) => {
      seen.read++;
      return Promise.resolve(foundBy(tenant));
    },
    mark: async (tenant: string) => Promise.resolve(foundBy(tenant).mark),
  };
  const answers = new InstanceAnswers(instances, { said: () => Promise.resolve(drivers.said) });
  const change = (change: Partial<VnfInstanceRecord>, mark: string) =>
    Object.assign(row, { record: { ...row.record, ...change }, mark });
  const read = async (tenant = TENANT, version: 'v1' | 'v2' = 'v1') => {
    const { etag, text } = await answers.of(tenant, ID, version, ({ vnfProvider }) => {
      seen.rendered++;
      return Promise.resolve({ vnfProvider, version });
    });
    return { etag, ...(JSON.parse(text.toString()) as { vnfProvider: string; version: string }) };
  };
  return { row, drivers, seen, change, read };
}

describe('an answer that is kept', () => {
  it('goes when newer ones take the memory that all may take, and is rendered again', async () => {
    const record = instanceRecord({ id: ID, vnfPkgId: 'p' });
    const instances = { show: () => Promise.resolve({ record, mark: '0 1' }), mark: () => Promise.resolve('0 1') };
    const masks = {};
    const answers = new InstanceAnswers(instances, { said: () => Promise.resolve(masks) });
    const rendered: number[] = [];
    const ask = (n: number) =>
      answers.of(TENANT, `${ID}-${n}`, 'v1', () => {
        rendered.push(n);
        return Promise.resolve({ text: 'x'.repeat(2 ** 20) });
      });
    for (let n = 0; n < 9; n += 1) await ask(n);
    await ask(8);
    await ask(0);
    expect(rendered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 0]);
  });

  it('is rendered once for as long as nothing changes, and once for each version of the API', async () => {
    const { seen, read } = setUp();
    for (let n = 0; n < 5; n++) {
      expect(await read()).toEqual({ etag: '"0"', vnfProvider: 'first', version: 'v1' });
      expect(await read(TENANT, 'v2')).toMatchObject({ version: 'v2' });
    }
    expect(seen).toEqual({ rendered: 2, read: 2 });
  });

  it('is no other one than the row says, whoever has written it', async () => {
    const { change, read } = setUp();
    await read();
    change({ vnfProvider: 'second', version: 1 }, '1 2');
    expect(await read()).toMatchObject({ etag: '"1"', vnfProvider: 'second' });
    change({ vnfProvider: 'third' }, '1 3');
    expect(await read()).toMatchObject({ etag: '"1"', vnfProvider: 'third' });
  });

  it('is masked anew when a driver says something else, although the instance is the same', async () => {
    const { drivers, seen, read } = setUp();
    await read();
    drivers.said = {};
    await read();
    await read();
    expect(seen.rendered).toBe(2);
  });

  it('is nobody else’s, and gone with the instance', async () => {
    const { row, read } = setUp();
    await read();
    await expect(read('other')).rejects.toMatchObject({ status: 404 });
    row.isThere = false;
    await expect(read()).rejects.toMatchObject({ status: 404 });
  });
});
