import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.js';
import { patchOf } from './patch.js';
import { strategicMerge } from './strategic-merge.js';

describe('JSON patch (RFC 6902)', () => {
  it('adds, replaces, removes, moves, copies and tests', () => {
    const document = { a: [1, 2], b: { 'x/y': 1 } };
    const result = applyJsonPatch(document, [
      { op: 'test', path: '/a/0', value: 1 },
      { op: 'add', path: '/a/-', value: 3 },
      { op: 'add', path: '/a/0', value: 0 },
      { op: 'remove', path: '/b/x~1y' },
      { op: 'add', path: '/c', value: { d: 1 } },
      { op: 'copy', from: '/c', path: '/e' },
      { op: 'move', from: '/c/d', path: '/f' },
      { op: 'replace', path: '/e/d', value: 2 },
    ]);
    expect(result).toEqual({ a: [0, 1, 2, 3], b: {}, c: {}, e: { d: 2 }, f: 1 });
    expect(document).toEqual({ a: [1, 2], b: { 'x/y': 1 } });
  });

  it.each([
    [{ op: 'test', path: '/a', value: 2 }, /testing value/],
    [{ op: 'remove', path: '/nope' }, /missing path/],
    [{ op: 'replace', path: '/nope', value: 1 }, /missing path/],
    [{ op: 'add', path: '/l/9', value: 1 }, /out of bounds/],
    [{ op: 'shout', path: '/a' }, /unknown operation/],
  ])('refuses %j', (operation, message) => {
    expect(() => applyJsonPatch({ a: 1, l: [] }, [operation])).toThrow(message);
  });
});

describe('strategic merge patch', () => {
  it('merges lists by their keys, and keeps what it does not name', () => {
    const pod = {
      spec: {
        containers: [
          { name: 'a', image: 'one' },
          { name: 'b', image: 'two' },
        ],
        args: ['x'],
      },
    };
    const result = strategicMerge(pod, { spec: { containers: [{ name: 'b', image: 'three' }, { name: 'c' }], args: ['y'] } });
    expect(result).toEqual({
      spec: { containers: [{ name: 'a', image: 'one' }, { name: 'b', image: 'three' }, { name: 'c' }], args: ['y'] },
    });
  });

  it('removes entries and members by directive', () => {
    const node = {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'b', effect: 'NoSchedule' },
        ],
        unschedulable: true,
      },
    };
    expect(strategicMerge(node, { spec: { unschedulable: null, taints: [{ $patch: 'delete', key: 'a' }] } })).toEqual({
      spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] },
    });
    expect(strategicMerge(node, { spec: { $patch: 'replace', taints: [] } })).toEqual({ spec: { taints: [] } });
    expect(
      strategicMerge({ metadata: { finalizers: ['a', 'b'] } }, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } }),
    ).toEqual({
      metadata: { finalizers: ['b'] },
    });
  });

  it('puts entries into the order that the client names, as kubectl apply does', () => {
    const result = strategicMerge(
      { containers: [{ name: 'a' }, { name: 'b' }] },
      { containers: [{ name: 'c' }], '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }] },
    );
    expect(result).toEqual({ containers: [{ name: 'c' }, { name: 'b' }, { name: 'a' }] });
  });

  it('tells the ports of services from those of containers', () => {
    expect(strategicMerge({ ports: [{ port: 80, name: 'a' }] }, { ports: [{ port: 80, nodePort: 30_000 }] })).toEqual({
      ports: [{ port: 80, name: 'a', nodePort: 30_000 }],
    });
    expect(strategicMerge({ ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 81 }] })).toEqual({
      ports: [{ containerPort: 80 }, { containerPort: 81 }],
    });
  });
});

describe('the media type of a patch', () => {
  it('decides how it is applied, and server-side apply is refused with 415', () => {
    expect(patchOf('application/merge-patch+json', { a: null })({ a: 1, b: 2 })).toEqual({ b: 2 });
    expect(() => patchOf('application/apply-patch+yaml', {})).toThrow(expect.objectContaining({ code: 415 }));
  });
});
