import { describe, expect, it } from 'vitest';
import { natsAcl, passwordVariable } from './acl-text.js';
import { natsAclCommand, thirdPartyOf } from './nats-acl.js';

describe('what "windlass nats-acl" prints', () => {
  it('has a user for a third party’s service beside our own, with its drivers and a password of its own', () => {
    const text = natsAcl('nats-server', { thirdParties: [thirdPartyOf('my-mgmt=one,two')] });
    expect(text).toContain('user: "my-mgmt", password: $WINDLASS_MY_MGMT_PASSWORD');
    expect(text).toContain('"windlass.mgmt.one.plan", "windlass.mgmt.one.validate"');
    expect(text).toContain('"windlass.mgmt.two.describe"');
    expect(text).toContain(`user: "saga-coordinator", password: $${passwordVariable('saga-coordinator')}`);
  });

  it('has that user alone where it is asked for', () => {
    const requested = { service: 'my-mgmt', thirdParties: [thirdPartyOf('my-mgmt=one')] };
    const { users } = JSON.parse(natsAcl('json', requested)) as { users: { user: string }[] };
    expect(users.map(({ user }) => user)).toEqual(['my-mgmt']);
    expect(() => natsAcl('json', { service: 'my-mgmt' })).toThrow(/there is no service my-mgmt: .*--third-party/);
  });

  it.each([
    ['k8s-mgmt=mine', 'the name k8s-mgmt is the service k8s-mgmt already'],
    ['my-mgmt=mgmt-drivers-kubernetes', 'the driver mgmt-drivers-kubernetes is a driver of k8s-mgmt already'],
    ['my-mgmt=one,one', 'the driver one is a driver of my-mgmt already'],
  ])('takes no name that is taken: %s', (text, refusal) => {
    expect(() => natsAcl('json', { thirdParties: [thirdPartyOf(text)] })).toThrow(refusal);
  });

  it.each(['my-mgmt', 'my-mgmt=', '=one', 'My Mgmt=one', 'my-mgmt=>', 'my-mgmt=a.b', 'my-mgmt=one,', 'a"b=one', 'my-mgmt=*'])(
    'refuses %j, saying what was expected',
    (text) => {
      expect(() => thirdPartyOf(text)).toThrow(/--third-party is .*; expected the service and its drivers, such as/);
    },
  );

  it('is described by --help', () => {
    expect(natsAclCommand().helpInformation()).toMatch(/--third-party <service=drivers>\s+a service that is no part of Windlass/);
  });
});
