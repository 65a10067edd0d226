import { describe, expect, it } from 'vitest';
import { InstantiateVnfRequestBody, ScaleVnfRequestBody } from '../requests/index.js';
import { validateBody } from './validate-body.js';

const parse = (text: string): unknown => JSON.parse(text) as unknown;
const pathsOf = (bodyClass: typeof ScaleVnfRequestBody | typeof InstantiateVnfRequestBody, body: unknown): string[] => {
  try {
    validateBody<object>(bodyClass, body);
    return [];
  } catch (error) {
    return (error as { invalidParams: { path: string }[] }).invalidParams.map(({ path }) => path);
  }
};

describe('a hostile body', () => {
  it('cannot reach a prototype', () => {
    expect(pathsOf(ScaleVnfRequestBody, parse('{"type":"SCALE_IN","aspectId":"a","__proto__":{"polluted":true}}'))).toEqual([
      '/__proto__',
    ]);
    const deep = parse('{"flavourId":"f","additionalParams":{"a":[{"__proto__":{"polluted":true}}]}}');
    expect(pathsOf(InstantiateVnfRequestBody, deep)).toEqual(['/additionalParams/a/0/__proto__']);
    const odd = parse('{"type":"SCALE_IN","aspectId":"a","constructor":{"prototype":{"polluted":true}}}');
    expect(pathsOf(ScaleVnfRequestBody, odd)).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('cannot switch its own rules off by naming a constructor', () => {
    expect(pathsOf(ScaleVnfRequestBody, parse('{"constructor":null,"type":"UP"}')).sort()).toEqual(['/aspectId', '/type']);
    const nested = parse('{"flavourId":"f","vimConnectionInfo":[{"constructor":{"name":"Object"},"id":1}]}');
    expect(pathsOf(InstantiateVnfRequestBody, nested).sort()).toEqual([
      '/vimConnectionInfo/0/id',
      '/vimConnectionInfo/0/vimType',
    ]);
  });

  it('does not take inherited names for attributes', () => {
    expect(pathsOf(ScaleVnfRequestBody, parse('{"type":"SCALE_IN","toString":"x","aspectId":"a"}'))).toEqual([]);
  });

  it('is refused when nested too deep, without ending the process', () => {
    const levels = 200_000;
    const text = `{"type":"SCALE_IN","aspectId":"a","additionalParams":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(pathsOf(ScaleVnfRequestBody, parse(text))).toHaveLength(1);
  });

  it('is refused with more values than anybody needs', () => {
    const list = (length: number) => ({ type: 'SCALE_IN', aspectId: 'a', additionalParams: { x: new Array(length).fill(1) } });
    expect(pathsOf(ScaleVnfRequestBody, list(49_000))).toEqual([]);
    expect(pathsOf(ScaleVnfRequestBody, list(50_000))).toEqual(['']);
  });

  it('is refused for text that PostgreSQL cannot store', () => {
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: 'a\0b' })).toEqual(['/aspectId']);
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: 'a', x: { y: '\ud800' } })).toEqual(['/x/y']);
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: 'a', 'k\0': 1 })).toEqual(['']);
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: '\u{1F600}' })).toEqual([]);
  });

  it('is refused at the first name that leads too far, and no finding repeats it', () => {
    const wrong = Array.from({ length: 1_000 }, () => '\0');
    const far = (name: string) => ({ type: 'SCALE_IN', aspectId: 'a', additionalParams: { [name]: wrong } });
    expect(pathsOf(ScaleVnfRequestBody, far('n'.repeat(300_000)))).toEqual(['/additionalParams']);
    let deep: object = { wrong };
    for (let level = 0; level < 50; level++) deep = { [`level-${level}-`.repeat(500)]: deep };
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: 'a', additionalParams: deep })).toEqual([
      '/additionalParams',
    ]);
    expect(pathsOf(ScaleVnfRequestBody, far('n'.repeat(900)))).toHaveLength(100);
    expect(pathsOf(ScaleVnfRequestBody, { type: 'SCALE_IN', aspectId: 'a', additionalParams: { ['n'.repeat(900)]: 1 } })).toEqual(
      [],
    );
  });

  it('is refused where a list of lists stands for a list of objects', () => {
    expect(pathsOf(InstantiateVnfRequestBody, { flavourId: 'f', extVirtualLinks: [[], null] })).toEqual([
      '/extVirtualLinks/0',
      '/extVirtualLinks/1',
    ]);
  });
});
