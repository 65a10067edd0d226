import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, smallestPackage, type PackageFiles } from '../testing/package-factory.js';
import { moduleImports } from './javascript-imports.js';

const SCRIPT = 'UserData/user-data.mjs';
const GOOD = 'export const D = { instantiate() { return {}; } };\n';

const onboarded = async (script: string, more: PackageFiles = {}) =>
  readVnfPackage(await csarOf(smallestPackage({ [SCRIPT]: script, ...more })));

describe('a package whose user data in JavaScript', () => {
  it.each([
    [
      'imports what only npm has',
      `import _ from 'lodash';\n${GOOD}`,
      /: line 1: lodash, which is neither a module of Node nor a file beside/,
    ],
    [
      'imports a file that is not there',
      `\nimport x from './absent.mjs';\n${GOOD}`,
      /: line 2: \.\/absent\.mjs, which the package has not\./,
    ],
    [
      'leaves the ending out',
      `import x from './beside';\n${GOOD}`,
      /it has UserData\/beside\.mjs, and an import needs the whole name/,
    ],
    ['exports from a file that is not there', `${GOOD}export * from '../x.mjs';\n`, /: line 2: \.\.\/x\.mjs/],
    ['imports from the machine', `import x from '/etc/passwd';\n${GOOD}`, /: line 1: \/etc\/passwd, which is neither/],
    ['imports from the network', `import x from 'https://a.example/x.mjs';\n${GOOD}`, /: line 1: https:/],
  ])('%s is refused, with file and line', async (_, script, words) => {
    await expect(onboarded(script, { 'UserData/beside.mjs': GOOD })).rejects.toMatchObject({
      code: 'user-data.import-absent',
      member: SCRIPT,
      message: expect.stringMatching(words) as string,
    });
  });

  it.each([
    ['a bracket', `${GOOD}export const E = { a() { ;\n`, /^UserData\/user-data\.mjs: line 3: .*: this is no JavaScript/],
    ['a text that does not end', `const a = 'x\n${GOOD}`, /line 1: Unterminated string/],
    ['Python', 'class D:\n    pass\n', /line 1: /],
    ['require in a module with a broken line', `const x = require('y')\nexport x\n`, /line 2: /],
    ['what is nested without end', `export const D = ${'['.repeat(200_000)}`, /nested too deeply|line 1/],
  ])('has %s is refused, with file and line', async (_, script, words) => {
    await expect(onboarded(script)).rejects.toMatchObject({
      code: 'user-data.malformed',
      message: expect.stringMatching(words) as string,
    });
  });

  it('is told of the file that lies beside it', async () => {
    await expect(onboarded(`import './beside.mjs';\n${GOOD}`, { 'UserData/beside.mjs': "import 'left-pad';" })).rejects.toThrow(
      /^UserData\/beside\.mjs: .*line 1: left-pad/,
    );
  });

  it.each([
    [
      "Node's modules and what lies beside it",
      "import { join } from 'node:path';\nimport fs from 'fs';\nimport b from './b/c.mjs?x';\n",
      {},
    ],
    ['data of the package', "import data from './data.json' with { type: 'json' };\n", { 'UserData/data.json': '{}' }],
    ['a name with a blank', "import './a%20b.mjs';\n", { 'UserData/a b.mjs': '' }],
    ['what it can do without', "const x = await import('lodash').catch(() => undefined);\n", {}],
    ['nothing, with a line for the shell', '#!/usr/bin/env node\n', {}],
  ])('imports %s is taken', async (_, script, more) => {
    const { model } = await onboarded(`${script}${GOOD}`, { 'UserData/b/c.mjs': 'export default 1;', ...more });
    expect(model.vnfdId).toBeDefined();
  });

  it('is a .js of CommonJS is taken, and one that is neither is refused', async () => {
    const named = (text: string) => onboarded(GOOD, { 'UserData/a.js': text });
    await named("const { join } = require('node:path');\nexports.D = {};\nreturn;\n");
    await named(`import { join } from 'node:path';\n${GOOD}`);
    await expect(named('exports.D = {')).rejects.toMatchObject({ code: 'user-data.malformed', member: 'UserData/a.js' });
  });

  it('lies elsewhere is nobody’s to refuse', async () => {
    await onboarded(GOOD, { 'Files/page.js': '{{ template }}', 'Scripts/a.mjs': "import 'lodash'" });
  });

  it.each([
    ['lines', 'a = b ? [c, { d: `e${f}g` }] : /x+y/.test(h) && (i => i)(j);\n'.repeat(10_000)],
    ['open parentheses', '('.repeat(500_000)],
    ['open templates', '`${'.repeat(200_000)],
    ['names', 'var a;'.repeat(100_000)],
  ])('is long, of many %s, is read in time that grows with its length', async (_, text) => {
    const begun = processorTime();
    await moduleImports(text, false);
    expect(processorTime() - begun).toBeLessThan(10_000);
  });
});
