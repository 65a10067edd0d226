import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as prettier from 'prettier';
import { beforeAll, describe, expect, it } from 'vitest';
import * as door from './index.js';
import { dataRule, defineContract, defineEvent, type Contract, type EventContract } from './contracts/contract.js';
import { contracts, events, schemaDocuments } from './registry.js';

const folder = join(import.meta.dirname, '../../../docs/contracts/schemas');
const isContract = (value: object | string | number): value is Contract<unknown, unknown> =>
  typeof value === 'object' && 'request' in value && 'reply' in value && 'subject' in value;
const isEvent = (value: object | string | number): value is EventContract<unknown> =>
  typeof value === 'object' && 'data' in value && 'name' in value;
const documents = new Map<string, string>();

describe('a contract whose schema is wrong', () => {
  const wrong = { type: 'nothing that there is' };

  it('is named by the first check of a request, of a reply or of an event', () => {
    const contract = defineContract({ name: 'test.wrong', subject: 'windlass.test', request: wrong, reply: { ...wrong } });
    const event = defineEvent({ name: 'test.told', data: { ...wrong } });
    expect(() => contract.request.check({})).toThrow(/the schema of contract test\.wrong is wrong/);
    expect(() => contract.reply.check({})).toThrow(/the schema of contract test\.wrong is wrong/);
    expect(() => event.data.check({})).toThrow(/the schema of contract test\.told is wrong/);
  });
});

describe('docs/contracts/schemas', () => {
  beforeAll(async () => {
    for (const [name, schema] of schemaDocuments()) {
      const file = `${name}.json`;
      const style = await prettier.resolveConfig(join(folder, file));
      documents.set(file, await prettier.format(JSON.stringify(schema), { ...style, parser: 'json' }));
    }
    if (process.env.UPDATE_CONTRACTS === undefined) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of documents) writeFileSync(join(folder, file), text);
  });

  it.each([...schemaDocuments().keys()])('shows %s as the code checks it', (name) => {
    expect(readFileSync(join(folder, `${name}.json`), 'utf8')).toBe(documents.get(`${name}.json`));
  });

  it.each([...schemaDocuments()])('%s can be compiled, which a service does no sooner than it is spoken', (_, schema) => {
    expect(() => dataRule(schema).check(undefined)).not.toThrow();
  });

  it('misses no contract that others can use', () => {
    const defined = Object.values(door).filter((value) => isContract(value) || isEvent(value));
    const shown = [...contracts, ...events].map(({ name }) => name);
    expect(defined.length).toBeGreaterThan(10);
    for (const { name } of defined) expect(shown).toContain(name);
    expect(new Set(shown).size).toBe(shown.length);
  });

  it('shows nothing else', () => {
    expect(readdirSync(folder).sort()).toEqual([...documents.keys()].sort());
  });
});
