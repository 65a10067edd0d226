import { describe, expect, it } from 'vitest';
import { validateRequestOf } from '../testing/requests.js';
import { RequestCheck } from './request-check.js';
import { listOf, named, objectOf } from './schema.js';

const flavour = {
  id: 'simple',
  vdus: ['web', 'db'],
  cps: [
    { id: 'web1', vdu: 'web' },
    { id: 'web2', vdu: 'web' },
    { id: 'db1', vdu: 'db' },
    { id: 'shared', vdu: null },
  ],
  aspects: ['webs'],
  mostVnfcs: { web: 4, db: 1 },
};
const files = [{ path: 'Scripts/x.sh', size: 1, sha256: 'ab', firstLine: '' }];
const made = (own: object = {}) =>
  new RequestCheck(validateRequestOf({ flavour, files, requestParams: { own } as never }), 'own');
const faults = (check: RequestCheck) => check.reply().invalidParams.map(({ path, reason }) => `${path}: ${reason}`);

describe('a check of a request', () => {
  it('finds the VDU that a group’s CPs agree on', () => {
    const check = made();
    expect(check.groupVdu('/web', { aspect_id: 'webs', ssh_cp_name: 'web1', nic_cp_name: 'web2' })).toBe('web');
    expect(check.reply()).toEqual({ invalidParams: [], warnings: [], normalised: {} });
  });

  it.each([
    [
      'another VDU’s',
      { ssh_cp_name: 'web1', nic_cp_name: 'db1' },
      '/nic_cp_name: belongs to VDU db, ssh_cp_name web1 to VDU web',
    ],
    ['nobody’s', { ssh_cp_name: 'shared', nic_cp_name: 'shared' }, '/ssh_cp_name: CP shared belongs to no VDU'],
    [
      'unknown',
      { ssh_cp_name: 'web9', nic_cp_name: 'web9' },
      '/ssh_cp_name: flavour simple has no CP web9 (did you mean web1?); it has web1, web2',
    ],
    [
      'in an unknown aspect',
      { aspect_id: 'dbs', ssh_cp_name: 'db1', nic_cp_name: 'db1' },
      '/aspect_id: flavour simple has no scaling',
    ],
  ])('refuses a CP that is %s, at its own path', (_, group, fault) => {
    const check = made();
    check.groupVdu('/group', group);
    expect(faults(check)).toEqual([expect.stringContaining(`/additionalParams/own/group${fault}`)]);
  });

  it('takes ./ before a path for nothing, and names a file that the package lacks', () => {
    const check = made();
    expect(check.file('/script', './Scripts/x.sh')).toEqual(files[0]);
    check.file('/script', 'Scripts/y.sh');
    expect(faults(check)).toEqual(['/additionalParams/own/script: the package has no file Scripts/y.sh']);
  });

  it('keeps the first fault of a field', () => {
    const check = made();
    check.wrong('/a', 'one');
    check.wrong('/a', 'two');
    expect(faults(check)).toEqual(['/additionalParams/own/a: one']);
  });

  it('normalises a range and says so, and refuses one that no host can have', () => {
    const check = made();
    expect(check.range('/net', 'range', '10.1.2.3/16', { from: 8, to: 24 })).toBeDefined();
    check.range('/net', 'other', '127.0.0.0/8', { from: 8, to: 24 });
    check.range('/net', 'small', '10.0.0.0/30', { from: 8, to: 24 });
    const { normalised, warnings } = check.reply();
    expect(normalised).toEqual({ own: { net: { range: '10.1.0.0/16' } } });
    expect(warnings).toEqual(['range 10.1.2.3/16 was taken as 10.1.0.0/16']);
    expect(faults(check)).toEqual([
      '/additionalParams/own/net/other: 127.0.0.0/8 is no range that hosts can have',
      '/additionalParams/own/net/small: 10.0.0.0/30: a prefix length from 8 to 24 was expected',
    ]);
  });

  it('warns of names that the schema does not know, however deep', () => {
    const schema = objectOf('all', {
      known: named('x'),
      group: objectOf('g', { inner: named('y') }),
      list: listOf('l', named('z')),
    });
    const check = made({ known: 'a', group: { inner: 'b', outer: 'c' }, list: ['d'], constructor: 'e' });
    check.unknownNames(schema);
    expect(check.reply().warnings).toEqual([
      '/additionalParams/own/group/outer is no parameter of this driver and was passed over',
      '/additionalParams/own/constructor is no parameter of this driver and was passed over',
    ]);
  });

  it('refuses a name of a user that a shell would read otherwise', () => {
    const check = made();
    check.user('/username', 'ubuntu; reboot');
    check.user('/other', 'ubuntu');
    expect(faults(check)).toEqual(['/additionalParams/own/username: is no name of a user']);
  });
});
