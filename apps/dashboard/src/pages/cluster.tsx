import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Instance } from '../api/types.js';
import { pathOf, Refused } from '../api/client.js';
import { Name, Problem, Section, State, Table } from '../components/elements.js';
import { certificatesIn } from '../state/certificates.js';
import { addressesOf, hasCluster, membersOf, standOf, type Cluster, type Member } from '../state/cluster.js';
import type { ShownVnfc } from '../state/topology.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment, sizeText } from '../state/words.js';
import { CertificateTable } from './certificate-table.js';

interface ClusterProps {
  instance: Instance;
  vnfcs: readonly ShownVnfc[];
}

/** The cluster that an instance has deployed; nothing for one that has none. */
export const ClusterOf = ({ instance, vnfcs }: ClusterProps): JSX.Element | null =>
  hasCluster(instance, vnfcs) ? (
    <>
      <Nodes instance={instance} vnfcs={vnfcs} />
      <Certificates instance={instance} />
      <Snapshots id={instance.id} />
    </>
  ) : null;

/** Milliseconds: nodes have no events, so the cluster is asked again. */
const AGAIN = 30_000;

/** What the cluster says of its nodes, beside the VMs that they are. */
function Nodes({ instance, vnfcs }: ClusterProps): JSX.Element {
  const { id } = instance;
  const { value, error, again } = useLoaded((client) => client.get('/windlass/v1/vnf_instances/{id}/cluster', { id }), [id]);
  useEffect(() => {
    const timer = setInterval(again, AGAIN);
    return () => clearInterval(timer);
  }, []);
  const isGone = error instanceof Refused && error.code === 'cluster.not-registered';
  const members = membersOf(instance, vnfcs, value?.nodes ?? []);
  const hasReasons = members.some(({ node }) => node !== undefined && node.reason !== null);
  return (
    <Section
      title="Cluster"
      aside={
        <button type="button" class="quiet small" onClick={again}>
          Look again
        </button>
      }
    >
      <Problem error={isGone ? undefined : error} />
      {isGone && <p class="note">It is not registered as a VIM, so it can’t be asked for its nodes.</p>}
      {value === undefined && error === undefined && <p class="hint">The cluster is being asked for its nodes.</p>}
      {value !== undefined && <ClusterSummary cluster={value} members={members} />}
      <Table
        label="Nodes of the cluster"
        heads={['Node', 'Role', 'Ready', 'Version', 'VM', 'Addresses', ...(hasReasons ? ['Says'] : [])]}
      >
        {members.map((member) => (
          <MemberRow key={member.key} member={member} cluster={value} hasReasons={hasReasons} />
        ))}
      </Table>
      {value?.hasMore === true && <p class="hint">The first {value.nodes.length} of its nodes: kubectl shows all.</p>}
    </Section>
  );
}

interface MemberRowProps {
  member: Member;
  cluster: Cluster | undefined;
  hasReasons: boolean;
}

function MemberRow({ member: { node, vnfc, role }, cluster, hasReasons }: MemberRowProps): JSX.Element {
  const stand = node === undefined ? undefined : standOf(node);
  return (
    <tr>
      <th scope="row">
        {node === undefined ? (
          <span class="hint">{cluster?.seenAt == null ? 'not known' : 'no node'}</span>
        ) : (
          <Name text={node.name} />
        )}
        {node !== undefined && node.name === cluster?.addressHolder && <span class="tag">holds the address</span>}
      </th>
      <td>{role}</td>
      <td>{stand !== undefined && <span class={`state ${stand.tone}`}>{stand.text}</span>}</td>
      <td>
        <Name text={node?.version ?? ''} />
      </td>
      <td>
        {vnfc !== undefined && (
          <>
            <Name text={vnfc.vdu} /> {vnfc.state !== undefined && <State state={vnfc.state} />}
          </>
        )}
      </td>
      <td>
        <code>
          <Name text={(vnfc === undefined ? (node?.addresses ?? []) : addressesOf(vnfc)).join(', ')} />
        </code>
      </td>
      {hasReasons && (
        <td class="says">
          <Name text={node?.reason ?? ''} />
        </td>
      )}
    </tr>
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function ClusterSummary({ cluster, members }: { cluster: Cluster; members: readonly Member[] }): JSX.Element {
  const { vim, version, unanswered, seenAt, nodes, addressHolder } = cluster;
  const count = (role: string): number => members.filter((each) => each.role === role).length;
  return (
    <>
      {unanswered !== null && (
        <p class="problem" role="alert">
          <strong>The cluster says nothing</strong> <span class="text">{unanswered}</span>{' '}
          {seenAt === null ? 'What is on record stands below.' : `Below stands what it said ${moment(seenAt)}.`}
        </p>
      )}
      <p class="facts">
        {seenAt !== null && (
          <span>
            <b>
              {nodes.filter(({ ready }) => ready === 'True').length} of {nodes.length}
            </b>{' '}
            nodes Ready
          </span>
        )}
        <span>
          {counted(count('master'), 'master')}, {counted(count('worker'), 'worker')}
        </span>
        {version !== null && (
          <span>
            Kubernetes <Name text={version} />
          </span>
        )}
        <span>
          API at{' '}
          <code>
            <Name text={vim.url} />
          </code>
          {addressHolder !== null && (
            <>
              {', held by '}
              <Name text={addressHolder} />
            </>
          )}
        </span>
        <span>
          as VIM <Name text={vim.name} />
        </span>
        {unanswered === null && seenAt !== null && <span>as seen {moment(seenAt)}</span>}
      </p>
    </>
  );
}

/** Those that end first; the command line shows all. */
const FIRST = 5;

function Certificates({ instance }: { instance: Instance }): JSX.Element {
  const seen = certificatesIn(instance.instantiatedVnfInfo);
  const first = seen?.certificates.toSorted((one, other) => Date.parse(one.endsAt) - Date.parse(other.endsAt)).slice(0, FIRST);
  return (
    <Section title="Certificates that end first">
      {first === undefined || seen === undefined ? (
        <p class="nothing">
          Nobody has looked: <code>./windlass vnf certificates {instance.id} --look</code>
        </p>
      ) : (
        <>
          <CertificateTable label="Certificates" rows={first.map((certificate) => ({ certificate }))} />
          <p class="hint">
            As seen {moment(seen.lookedAt)}. To renew all: <code>./windlass vnf certificates {instance.id} --renew</code>
          </p>
        </>
      )}
    </Section>
  );
}

interface Snapshot {
  id: string;
  takenAt: string;
  master: string;
  size: number;
}

interface Attempt {
  id: string;
  begunAt: string;
  state: string;
  reason: string | null;
}

function Snapshots({ id }: { id: string }): JSX.Element {
  const list = <T,>(what: string) =>
    useLoaded(async (client) => (await client.page<T>(pathOf(`/windlass/v1/vnf_instances/{id}/${what}`, { id }))).items, [id]);
  const kept = list<Snapshot>('snapshots');
  const [last] = list<Attempt>('snapshot_attempts').value ?? [];
  return (
    <Section title="Snapshots of its control plane">
      <Problem error={kept.error} />
      {kept.value?.length === 0 && (
        <p class="nothing">
          None is kept: <code>./windlass vnf snapshots {id} --take</code>
        </p>
      )}
      {kept.value !== undefined && kept.value.length > 0 && (
        <Table label="Snapshots" heads={['Taken', 'Master', 'Size']}>
          {kept.value.map((snapshot) => (
            <tr key={snapshot.id}>
              <td class="when">{moment(snapshot.takenAt)}</td>
              <td>
                <Name text={snapshot.master} />
              </td>
              <td>{sizeText(snapshot.size)}</td>
            </tr>
          ))}
        </Table>
      )}
      {last !== undefined && (
        <p class={last.state === 'FAILED' ? 'note' : 'hint'}>
          The schedule’s last try, {moment(last.begunAt)}: {last.state}
          {last.reason !== null && (
            <>
              {': '}
              <Name text={last.reason} />
            </>
          )}
        </p>
      )}
    </Section>
  );
}
