import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from './json.js';
import { masked, secretTextsIn } from './secret-masking.js';
import { SecretPlaces } from './secret-places.js';
import { MASK, maskSecrets, Secret } from './secret.js';
import { withoutMasks } from './without-masks.js';
import { processorTime } from './testing/index.js';

const by = (schema: Json, value: Json): Json => masked(value, SecretPlaces.of(schema));
const marked = { writeOnly: true };

describe('a schema that marks secrets', () => {
  it.each<[string, JsonObject, Json, Json]>([
    ['a member', { properties: { pin: marked } }, { pin: 1234, other: 'o' }, { pin: MASK, other: 'o' }],
    ['a structure, whole', { properties: { login: marked } }, { login: { a: ['b', true] } }, { login: { a: [MASK, MASK] } }],
    ['format password', { properties: { pin: { format: 'password' } } }, { pin: 'p' }, { pin: MASK }],
    ['elements', { properties: { pins: { items: marked } } }, { pins: ['a', 'b'] }, { pins: [MASK, MASK] }],
    ['one of a tuple', { prefixItems: [{}, marked] }, ['a', 'b', 'c'], ['a', MASK, 'c']],
    ['the rest of a tuple', { prefixItems: [{}], items: marked }, ['a', 'b', 'c'], ['a', MASK, MASK]],
    ['a tuple as draft 7 has it', { items: [{}, marked], additionalItems: marked }, ['a', 'b', 'c'], ['a', MASK, MASK]],
    ['members by a pattern', { patternProperties: { '^p': marked } }, { p1: 'a', q: 'b' }, { p1: MASK, q: 'b' }],
    ['members by a pattern with groups', { patternProperties: { '^(p+)+$': marked } }, { pp: 'a', q: 'b' }, { pp: MASK, q: 'b' }],
    ['any member by a pattern that is not run', { patternProperties: { '^(?=p)p': marked } }, { q: 'b' }, { q: MASK }],
    ['all others', { properties: { n: {} }, additionalProperties: marked }, { n: 'n', x: 'x' }, { n: 'n', x: MASK }],
    ['what is not evaluated', { unevaluatedProperties: marked }, { x: 'x' }, { x: MASK }],
    [
      'in allOf, anyOf, oneOf',
      { allOf: [{ anyOf: [{ oneOf: [{ properties: { pin: marked } }] }] }] },
      { pin: 'p' },
      { pin: MASK },
    ],
    ['in then', { if: { required: ['a'] }, then: { properties: { pin: marked } } }, { pin: 'p' }, { pin: MASK }],
    ['in else', { if: true, then: {}, else: { properties: { pin: marked } } }, { pin: 'p' }, { pin: MASK }],
    [
      'in dependentSchemas',
      { dependentSchemas: { a: { properties: { pin: marked } } } },
      { a: 1, pin: 'p' },
      { a: 1, pin: MASK },
    ],
    ['in $defs', { $ref: '#/$defs/a', $defs: { a: { properties: { pin: marked } } } }, { pin: 'p' }, { pin: MASK }],
    ['beside $ref', { properties: { pin: { $ref: '#/$defs/a', ...marked } }, $defs: { a: {} } }, { pin: 'p' }, { pin: MASK }],
    ['by any pointer', { properties: { a: marked, b: { $ref: '#/properties/a' } } }, { b: 'p' }, { b: MASK }],
    [
      'by an escaped pointer',
      { properties: { b: { $ref: '#/$defs/x~1y%20z' } }, $defs: { 'x/y z': marked } },
      { b: 'p' },
      { b: MASK },
    ],
    [
      'by an anchor',
      { properties: { b: { $ref: '#pin' } }, $defs: { a: { $anchor: 'pin', ...marked } } },
      { b: 'p' },
      { b: MASK },
    ],
    [
      'by an $id',
      { properties: { b: { $ref: 'urn:pin' } }, $defs: { a: { $id: 'urn:pin', ...marked } } },
      { b: 'p' },
      { b: MASK },
    ],
    ['a name of Object’s', { properties: { constructor: marked } }, { constructor: 'p' }, { constructor: MASK }],
  ])('hides %s', (_what, schema, value, expected) => {
    expect(by(schema, value)).toEqual(expected);
  });

  it('hides also where the value has another shape than was declared', () => {
    const schema = { properties: { one: { properties: { pin: marked } }, many: { items: { properties: { pin: marked } } } } };
    const shown = by(schema, { one: [{ pin: 'a1b2' }], many: { pin: 'c3d4', x: { pin: 'e5f6' } } });
    expect(shown).toEqual({ one: [{ pin: MASK }], many: { pin: MASK, x: { pin: MASK } } });
    expect(by(schema, { one: '{"pin":"a1b2"}', many: 1234 })).toEqual({ one: MASK, many: MASK });
  });

  it('says nothing of what is no secret', () => {
    const schema = { properties: { a: { type: 'string' }, b: { items: { $ref: '#' } } }, additionalProperties: false };
    expect(by(schema, { a: 'x', b: [{ a: 'y' }], c: 'z' })).toEqual({ a: 'x', b: [{ a: 'y' }], c: 'z' });
    expect(SecretPlaces.of(schema)).toBe(SecretPlaces.none);
  });

  it('counts with others: what any of them hides is hidden', () => {
    const places = SecretPlaces.union([{ properties: { a: marked } }, { properties: { b: marked } }].map(SecretPlaces.of));
    expect(masked({ a: 1, b: 2, c: 3, token: 4 }, places)).toEqual({ a: MASK, b: MASK, c: 3, token: MASK });
  });
});

describe('a hostile schema', () => {
  it('ends where it contains itself', () => {
    const schema = { $ref: '#', properties: { next: { $ref: '#' }, pin: marked }, allOf: [{ $ref: '#' }] };
    expect(by(schema, { next: { next: { pin: 'p' } }, x: 1 })).toEqual({ next: { next: { pin: MASK } }, x: 1 });
  });

  it('has nothing fetched: what a foreign reference speaks of is hidden', () => {
    const schema = {
      properties: { a: { $ref: 'https://example.com/x.json' }, b: { $ref: '#/gone' }, c: { $ref: '#%zz' }, d: {} },
    };
    expect(by(schema, { a: 'a', b: 'b', c: 'c', d: 'd' })).toEqual({ a: MASK, b: MASK, c: MASK, d: 'd' });
  });

  it('may be as deep as JSON can be', () => {
    let schema: JsonObject = marked;
    for (let n = 0; n < 20_000; n++) schema = n % 2 === 0 ? { allOf: [schema] } : { properties: { a: schema } };
    expect(by({ properties: { b: schema } }, { b: { x: 'x' } })).toEqual({ b: { x: 'x' } });
  });

  it('hides everything when it is too large to be read', () => {
    expect(by({ enum: Array.from({ length: 200_000 }, (_, n) => n) }, { a: 'a' })).toEqual({ a: MASK });
  });

  it('does not multiply: each subschema is read once', () => {
    const $defs: JsonObject = { d40: { properties: { pin: marked } } };
    for (let n = 0; n < 40; n++)
      $defs[`d${n}`] = {
        properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } },
        anyOf: [{ $ref: `#/$defs/d${n + 1}` }],
      };
    const begun = processorTime();
    expect(by({ $ref: '#/$defs/d0', $defs }, { a: { b: { pin: 'p' } } })).toEqual({ a: { b: { pin: MASK } } });
    expect(processorTime() - begun).toBeLessThan(1_000);
  });

  it('has patterns run that take no longer than a name is long, and hides what it takes too long to look at', () => {
    const crossed = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [
        `d${n}`,
        { $ref: `#/$defs/d${(n + 1) % 2_000}`, properties: { [`p${n}`]: marked } },
      ]),
    );
    const schema = { $ref: '#/$defs/d0', $defs: crossed, patternProperties: { '(a+)+!': { $ref: '#' } } };
    const value = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`${'a'.repeat(40)}!${n}`, { p7: 'secret', x: 'x' }]),
    );
    const begun = processorTime();
    expect(JSON.stringify(by(schema, value))).not.toContain('secret');
    expect(processorTime() - begun).toBeLessThan(5_000);
  });
});

describe('masking', () => {
  it('hides structures and numbers under the name of a secret, in any spelling', () => {
    expect(masked({ token: { value: 'a', list: ['b', 3, null] }, pass: 12_345, apiKeys: ['k'], usePassword: true })).toEqual({
      token: { value: MASK, list: [MASK, MASK, null] },
      pass: MASK,
      apiKeys: [MASK],
      usePassword: true,
    });
  });

  it('hides secrets in texts that hold JSON or a Python literal', () => {
    const helm = "{'masternode_username': 'ubuntu', 'masternode_password': 'it\\'s \"pw\"'}";
    expect(masked({ helm })).toEqual({ helm: "{'masternode_username': 'ubuntu', 'masternode_password': '***'}" });
    expect(JSON.parse(masked(JSON.stringify({ bearer_token: 'tok"en', name: 'n' })))).toEqual({ bearer_token: MASK, name: 'n' });
  });

  it('tells the texts that it hid, as they may be quoted elsewhere', () => {
    const value = {
      pin: 'p1n"s',
      list: [{ pass: 'hunter2' }],
      proxy: 'http://me:p%40ss@host:1/',
      short: { token: 'ab' },
      at: 4711,
      n: 1,
    };
    const texts = secretTextsIn(value, SecretPlaces.of({ properties: { pin: marked, at: marked } }));
    expect(texts.sort()).toEqual(['4711', 'hunter2', 'me:p%40ss', 'p%40ss', 'p1n"s', 'p1n\\"s', 'p@ss'].sort());
  });

  it('has the lines of a secret of several as well: a key is quoted line by line', () => {
    const texts = secretTextsIn({ private_key: 'BEGIN\r\nfirst-line-of-it\nsecond-line-of-it\n==\n' });
    expect(texts).toEqual(expect.arrayContaining(['first-line-of-it', 'second-line-of-it']));
    expect(texts).not.toContain('==');
  });

  it('of a short secret hides it as a word, and not inside others, where it would be told', () => {
    const hidden = (text: string, ...secrets: string[]) => maskSecrets(text, secrets);
    expect(hidden('zork: rezorked by zork, platzork4 "zork"', 'zork')).toBe('***: rezorked by ***, platzork4 "***"');
    expect(hidden('port 47110, pin 4711.', '4711')).toBe('port 47110, pin ***.');
    expect(hidden('größer als groß, groß', 'groß')).toBe('größer als ***, ***');
    expect(hidden(String.raw`"a\nzork\tzork" mysql -pzork --pass=zork`, 'zork')).toBe(
      String.raw`"a\n***\t***" mysql -p*** --pass=***`,
    );
    // What is no word stands in no other by chance, and what is long neither.
    expect(hidden('xp@ssx', 'p@ss')).toBe('x***x');
    expect(hidden('xcorrecthorsex', 'correcthorse')).toBe('x***x');
    expect(hidden(`${'zork'.repeat(200_000)} zork`, 'zork').endsWith('zork ***')).toBe(true);
  });

  it('goes no deeper than any request may', () => {
    let value: Json = new Secret('s') as unknown as Json;
    for (let n = 0; n < 50_000; n++) value = { a: value };
    expect(JSON.stringify(masked(value)).length).toBeLessThan(2_000);
  });
});

describe('a patch by somebody who saw masks', () => {
  const sent = {
    pin: 'p',
    proxy: 'http://a:b@h',
    port: '80',
    list: [
      { name: 'a', pass: '1' },
      { name: 'b', pass: '2' },
    ],
    login: { user: 'u' },
  };
  const shown = masked(sent, SecretPlaces.of({ properties: { pin: marked, login: marked } }));
  const patched = (patch: Json) => withoutMasks(sent, shown, patch);

  it('leaves each secret as it was sent, where it repeats the mask', () => {
    expect(patched({ ...shown, port: '8080' })).toEqual({ ...sent, port: '8080' });
    expect(patched({ proxy: 'http://***@h:1', login: '***' })).toEqual({ proxy: sent.proxy, login: sent.login });
  });

  it('may say a new value, a mask where none was, and null', () => {
    expect(patched({ pin: 'new', port: '***', list: null })).toEqual({ pin: 'new', port: '***', list: null });
  });

  it('may change elements of a list in their places, and never moves a secret to another', () => {
    const [a = {}, b = {}] = shown.list;
    expect(patched({ list: [{ ...a, name: 'A' }, b] })).toEqual({
      list: [
        { name: 'A', pass: '1' },
        { name: 'b', pass: '2' },
      ],
    });
    expect(() => patched({ list: [b, a] })).toThrow('in another order');
    expect(() => patched({ list: [b] })).toThrow('in another order');
  });
});
