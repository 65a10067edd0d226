import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { clientUrlsOf, membersOf } from './members.js';

// As etcdctl 3.6.5 printed them (and 3.4.23 prints them): a leader, a follower that was killed, a learner that never started.
const HEADER = '{"cluster_id":15875391935852295136,"member_id":7383792418829112008,"revision":1,"raft_term":2}';
const LIST =
  `{"header":${HEADER},"members":[` +
  '{"ID":7383792418829112008,"name":"master10","peerURLs":["https://10.0.0.10:2380"],"clientURLs":["https://10.0.0.10:2379"]},' +
  '{"ID":17884986258863414925,"name":"master1","peerURLs":["https://10.0.0.1:2380"],"clientURLs":["https://10.0.0.1:2379"]},' +
  '{"ID":7884986258863414925,"name":"","peerURLs":["https://10.0.0.12:2380"],"isLearner":true}]}';
const STATUS =
  `[{"Endpoint":"https://10.0.0.10:2379","Status":{"header":${HEADER},"version":"3.6.5","dbSize":20480,` +
  '"leader":7383792418829112008,"raftIndex":12345678901,"raftTerm":2,"errors":["memberID:7383792418829112008, alarm:[1, 2]"]}}]\n';

describe('what etcdctl prints of the members', () => {
  it('is read by addresses, with ids that JSON.parse would round', () => {
    expect(membersOf(LIST, STATUS)).toEqual([
      {
        id: 7383792418829112008n.toString(16),
        address: '10.0.0.10',
        clientUrls: ['https://10.0.0.10:2379'],
        voting: true,
        healthy: true,
        leads: true,
      },
      {
        id: 17884986258863414925n.toString(16),
        address: '10.0.0.1',
        clientUrls: ['https://10.0.0.1:2379'],
        voting: true,
        healthy: false,
        leads: false,
      },
      {
        id: 7884986258863414925n.toString(16),
        address: '10.0.0.12',
        clientUrls: [],
        voting: false,
        healthy: false,
        leads: false,
      },
    ]);
  });

  it('says where those answer that have ever started', () => {
    expect(clientUrlsOf(LIST)).toEqual(['https://10.0.0.10:2379', 'https://10.0.0.1:2379']);
  });

  it('has nobody healthy where nobody has said anything, nor one that has lost a leader whom others know', () => {
    expect(membersOf(LIST, '').filter(({ healthy }) => healthy)).toEqual([]);
    const lost = `,{"Endpoint":"","Status":{"header":{"member_id":17884986258863414925},"version":"3.6.5","raftTerm":2}}]`;
    expect(membersOf(LIST, STATUS.replace(/\]\n$/, lost))).toMatchObject([
      { healthy: true },
      { healthy: false, leads: false },
      {},
    ]);
  });

  it('counts one that answers while nobody leads: they may be voting for a leader', () => {
    const leaderless = STATUS.replace('"leader":7383792418829112008,', '');
    expect(membersOf(LIST, leaderless)).toMatchObject([{ healthy: true, leads: false }, { healthy: false }, {}]);
  });

  it.each([
    ['blanks where a value is missing', `{"a":${' '.repeat(1_000_000)}`],
    ['a string that never ends', `"${'\\"'.repeat(500_000)}`],
    ['numbers', '1'.repeat(1_000_000)],
  ])('of a node that prints %s is read in no long time, and is no answer', (_, text) => {
    const begun = processorTime();
    expect(() => membersOf(text, '')).toThrow();
    expect(processorTime() - begun).toBeLessThan(2_000);
  });

  it('that is no JSON is no answer', () => {
    expect(() => membersOf('Error: context deadline exceeded', '')).toThrow(expect.objectContaining({ code: 'etcd.no-answer' }));
  });
});
