import { describe, expect, it } from 'vitest';
import { schemaFaults } from './schema-faults.js';
import type { PrivateKeyCheck } from './ssh-login.js';

/** As a driver spells it whose fields have other names. */
const schema = {
  properties: {
    nodes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ssh_password: { type: 'string' }, ssh_key: { type: 'string' }, ssh_phrase: { type: 'string' } },
        sshLogin: { password: 'ssh_password', privateKey: 'ssh_key', passphrase: 'ssh_phrase' },
      },
    },
  },
};

const asked: unknown[] = [];
const check: PrivateKeyCheck = (...given) => {
  asked.push(given);
  return given[0] === 'good' ? undefined : { of: given[1] === undefined ? 'passphrase' : 'privateKey', reason: 'is wrong' };
};
const faults = (...nodes: object[]) => schemaFaults(schema, { nodes: nodes as Record<string, string>[] }, check);

describe('a login by SSH in the parameters of a driver', () => {
  it('is by password or by a key that can be read', () => {
    expect(faults({ ssh_password: 'p' }, { ssh_key: 'good' }, { ssh_key: 'good', ssh_password: 'p', ssh_phrase: 'q' })).toEqual(
      [],
    );
  });

  it('is refused at the field that is wrong, in each of a list', () => {
    expect(faults({}, { ssh_password: 'p', ssh_phrase: 'q' }, { ssh_key: 'bad' }, { ssh_key: 'bad', ssh_phrase: 'q' })).toEqual([
      {
        path: '/additionalParams/nodes/0/ssh_password',
        reason: 'is missing: give ssh_password or ssh_key (with ssh_phrase, where the key has one)',
      },
      {
        path: '/additionalParams/nodes/1/ssh_phrase',
        reason: 'is of no use without ssh_key: give the key, or leave it out',
      },
      { path: '/additionalParams/nodes/2/ssh_phrase', reason: 'is wrong' },
      { path: '/additionalParams/nodes/3/ssh_key', reason: 'is wrong' },
    ]);
  });

  it('is left to the members’ own schemas where they have another type', () => {
    expect(faults({ ssh_key: 1 }).map(({ path }) => path)).toEqual(['/additionalParams/nodes/0/ssh_key']);
  });

  it('has its key opened once, however many machines have it', () => {
    asked.length = 0;
    faults({ ssh_key: 'good', ssh_phrase: 'q' }, { ssh_key: 'good', ssh_phrase: 'q' }, { ssh_key: 'good' });
    expect(asked).toEqual([
      ['good', 'q'],
      ['good', undefined],
    ]);
  });
});
