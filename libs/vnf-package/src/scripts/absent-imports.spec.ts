import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { readVnfPackage } from '../read-vnf-package.js';
import { csarOf, smallestPackage, type PackageFiles } from '../testing/package-factory.js';
import { importsOf } from './python-imports.js';
import { pythonLines } from './python-lines.js';

const SCRIPT = 'UserData/user_data.py';

const onboarded = async (script: string, more: PackageFiles = {}) =>
  readVnfPackage(await csarOf(smallestPackage({ [SCRIPT]: script, ...more })));

const read = async (script: string, more: PackageFiles = {}) => (await onboarded(script, more)).model.reconnectingScripts;

describe('a package whose user data imports', () => {
  it.each([
    [
      'a module that nobody has',
      'import os\nimport oslo_utils\n',
      /^UserData\/user_data\.py: imports what is not there .*: line 2: oslo_utils\. Bring it/,
    ],
    [
      'a part of the reference system that is not here',
      'from tacker.sol_refactored import objects',
      /line 1: objects from tacker\.sol_refactored/,
    ],
    ['a module of it by its whole name', 'import tacker.common.utils as utils', /line 1: tacker\.common\.utils/],
    [
      'a name that a module of ours lacks',
      'from tacker.sol_refactored.common.vnfd_utils import (\n    Vnfd,\n    Other as O,\n)\n',
      /line 1: Other from tacker\.sol_refactored\.common\.vnfd_utils/,
    ],
    [
      'two things',
      'import yaml, oslo_config\nfrom oslo_service.client import SSHClient\n',
      /line 1: oslo_config; line 2: oslo_service\.client/,
    ],
    ['in a function', 'def f():\n    x = 1; import oslo_db\n', /line 2: oslo_db/],
    ['after an if', 'if True: import oslo_db\n', /line 1: oslo_db/],
    ['what should lie beside it', 'from .beside import x\nfrom . import other\n', /line 1: \.beside, .*; line 2: other from \./],
    [
      'after a text over lines',
      "'''\nimport nothing\n'''\nx = 'import no' # import no\nimport oslo_db",
      /: line 5: oslo_db\. Bring/,
    ],
    ['over a continued line', 'from os \\\n  import path\nimport \\\n  oslo_db\n', /line 3: oslo_db/],
    ['with the line ends of Windows', 'import os\r\n\r\nimport oslo_db\r\n', /line 3: oslo_db/],
  ])('%s is refused, with file and line', async (_, script, words) => {
    await expect(read(script)).rejects.toMatchObject({
      code: 'user-data.import-absent',
      message: expect.stringMatching(words) as string,
    });
  });

  it('what lies beside a script is told of the file that imports it', async () => {
    await expect(read('import beside\n', { 'UserData/beside.py': '\nimport oslo_db\n' })).rejects.toThrow(
      /^UserData\/beside\.py: .*line 2: oslo_db/,
    );
  });

  it.each([
    [
      'Windlass has',
      'import yaml\nfrom yaml import CSafeLoader\nfrom oslo_log import log as logging\nfrom tacker.sol_refactored.common import common_script_utils, vnf_instance_utils as inst_utils\nfrom tacker.sol_refactored.infra_drivers.openstack import userdata_utils\nimport tacker.vnfm.lcm_user_data.utils as U\n',
    ],
    ['Python has', 'from __future__ import annotations\nimport json, os.path as p\nfrom collections.abc import Mapping\n'],
    [
      'it can do without',
      'try:\n    import netaddr\n    from netaddr import IPNetwork\nexcept ImportError:\n    import ipaddr as netaddr\nelse:\n    import more\nimport os\n',
    ],
    ['it can do without on one line', 'try: import netaddr\nexcept ImportError: netaddr = None\n'],
    ['only types ask for', 'import typing\nif typing.TYPE_CHECKING:\n    from netaddr import IPNetwork\n'],
    ['it needs by itself alone', 'if __name__ == "__main__":\n    import requests\n'],
    [
      'only its texts speak of',
      'x = """\nimport a\n"""\ny = "import b"\nz = f"import {c}"\n# import d\nw = rb\'import e\'\nv = {"from": 1, "import": 2}\n',
    ],
    [
      'nothing, and is no import',
      'def f(x):\n    yield from x\n    raise ValueError from x\nimportant = 1\nfrom_ = 2\nd = {1: x.from_}\n',
    ],
  ])('what %s is taken', async (_, script) => {
    expect(await read(script)).toEqual([]);
  });

  it('files of its own is taken: beside it, from the root, in folders, relative to it', async () => {
    const more = {
      'UserData/__init__.py': '',
      'UserData/beside.py': '',
      'UserData/deep/inner.py': 'from ..beside import x\nfrom .. import beside\n',
      'common/names.py': '',
    };
    const script =
      'import beside\nfrom UserData import beside as b\nfrom . import beside as c\nfrom .deep.inner import x\nimport deep.inner\nfrom common.names import y\nimport common\n';
    expect(await read(script, more)).toEqual([]);
  });

  it('of what is no user data nothing is asked', async () => {
    expect(await read('', { 'Scripts/driver.py': 'import paramiko\nx = "\n' })).toEqual([]);
  });
});

describe('a package whose user data imports what may be installed where it is run', () => {
  it('is taken with a warning that names the script, the lines and the modules', async () => {
    const { warnings, model } = await onboarded('import os, netaddr\ndef f():\n    from jinja2.sandbox import Environment\n');
    expect(warnings.filter(({ code }) => code.startsWith('user-data.'))).toEqual([
      {
        code: 'user-data.import-outside',
        subject: SCRIPT,
        reason: expect.stringMatching(/line 1: netaddr; line 3: jinja2\.sandbox\. .*USER_DATA_PYTHON/) as string,
      },
    ]);
    expect(model.scriptModules).toEqual({ [SCRIPT]: ['jinja2.sandbox', 'netaddr'] });
  });

  it('keeps what a script needs by what it imports of the package, and nothing of others', async () => {
    const more = {
      'UserData/a.py': 'import b\n',
      'UserData/b.py': 'import netaddr\nimport a\n',
      'UserData/c.py': 'import requests\n',
    };
    const { model } = await onboarded('from .a import x\n', more);
    expect(model.scriptModules).toEqual({
      'UserData/a.py': ['netaddr'],
      'UserData/b.py': ['netaddr'],
      'UserData/c.py': ['requests'],
      [SCRIPT]: ['netaddr'],
    });
  });

  it('is refused all the same for what can be nowhere beside it', async () => {
    await expect(onboarded('import netaddr\nfrom tacker import objects\nimport oslo_utils\n')).rejects.toThrow(
      /: line 2: objects from tacker; line 3: oslo_utils\. Bring/,
    );
  });

  it('says nothing of imports in a try', async () => {
    const { warnings, model } = await onboarded('try:\n    import netaddr\nexcept ImportError:\n    pass\n');
    expect([warnings.filter(({ code }) => code.startsWith('user-data.')), model.scriptModules]).toEqual([[], undefined]);
  });
});

describe('a user data script that is no Python', () => {
  it.each([
    ['a text that does not end', 'x = 1\ny = "abc\n', /line 2: a string begins and does not end/],
    ['a long text that does not end', 'x = """abc\n\n', /line 1: a string begins/],
    ['a bracket that stays open', 'x = 1\ny = {\n  "a": [1,\n', /line 3: a bracket is opened, and no "]" follows/],
    ['a bracket that nothing opens', 'x = 1)\n', /line 1: there is a "\)" that nothing opens/],
    ['brackets that do not match', 'x = (1]\n', /line 1: there is a "]"/],
  ])('by %s is refused with its line', async (_, script, words) => {
    await expect(read(script)).rejects.toMatchObject({
      code: 'user-data.malformed',
      message: expect.stringMatching(words) as string,
    });
  });
});

describe('what a package says of its scripts', () => {
  it('is which may move ports: by their own words, by what they are derived from, by what they import', async () => {
    const own = 'class D:\n    def change_ext_conn(a, b, c, d, e): pass\n';
    expect(await read('class D: pass\n', { 'UserData/a.py': own })).toEqual(['UserData/a.py']);
    expect(await read('from a import D\n', { 'UserData/a.py': own })).toEqual(['UserData/a.py', SCRIPT]);
    expect(await read('from tacker.sol_refactored.infra_drivers.openstack import userdata_standard\n')).toEqual([SCRIPT]);
    expect(await read('', { 'UserData/a.mjs': 'export const D = { change_ext_conn() {} };' })).toEqual(['UserData/a.mjs']);
  });
});

describe('a hostile script', () => {
  it.each([
    ['spaces', `from${' '.repeat(500_000)}x`],
    ['dots', `from ${'. '.repeat(250_000)}`],
    ['colons', ':from '.repeat(100_000)],
    ['quotes', 'f"'.repeat(250_000)],
    ['imports', `try:\n${' import a\n'.repeat(50_000)}`],
    ['deep blocks', Array.from({ length: 1_000 }, (_, n) => `${' '.repeat(n)}try:`).join('\n')],
  ])('of many %s takes no longer than its length', (_, text) => {
    const begun = processorTime();
    const found = pythonLines(text);
    if ('lines' in found) importsOf(found.lines);
    expect(processorTime() - begun).toBeLessThan(5_000);
  });
});
