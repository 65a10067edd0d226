import type { JSX } from 'preact';
import type { Instance } from '../api/types.js';
import { pathOf } from '../api/client.js';
import { Name, Problem, Section, State, Table } from '../parts/parts.js';
import { certificatesIn, leftOf } from '../state/certificates.js';
import { clusterOf, type ShownCluster } from '../state/cluster.js';
import type { ShownVnfc } from '../state/topology.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment, sizeText } from '../state/words.js';

/** The cluster that an instance has deployed: as far as the API tells of it, and where the rest is seen. */
export function Cluster({ instance, vnfcs }: { instance: Instance; vnfcs: readonly ShownVnfc[] }): JSX.Element | null {
  const vims = useLoaded((client) => client.get('/v1.0/vims'), [instance.id]);
  const cluster = clusterOf(instance, vnfcs, vims.value?.vims ?? []);
  if (cluster === undefined) return null;
  return (
    <>
      <Section title="Cluster">
        <Problem error={vims.error} />
        <Address cluster={cluster} />
        <Table label="Nodes of the cluster" heads={['Role', 'VDU', 'VM', 'Addresses']}>
          {cluster.nodes.map(({ vnfc, role }) => (
            <tr key={vnfc.id}>
              <th scope="row">{role === '' ? 'not told' : role}</th>
              <td>
                <Name text={vnfc.vdu} />
              </td>
              <td>{vnfc.state !== undefined && <State state={vnfc.state} />}</td>
              <td>
                <code>
                  <Name text={vnfc.ports.flatMap(({ addresses }) => addresses).join(', ')} />
                </code>
              </td>
            </tr>
          ))}
        </Table>
        <p class="hint">
          Whether nodes are Ready, their versions and which master holds the address is the cluster’s to tell, not the API’s:{' '}
          <code>./windlass vnf kubeconfig {instance.id} --out kubeconfig; kubectl --kubeconfig kubeconfig get nodes -o wide</code>
        </p>
      </Section>
      <Certificates instance={instance} />
      <Snapshots id={instance.id} />
    </>
  );
}

function Address({ cluster: { vim, nodes } }: { cluster: ShownCluster }): JSX.Element {
  const count = (role: string): number => nodes.filter((node) => node.role === role).length;
  return (
    <p class="facts">
      <span>
        {count('master')} masters, {count('worker')} workers
      </span>
      {vim === undefined ? (
        <span>not registered as a VIM</span>
      ) : (
        <>
          <span>
            API at{' '}
            <code>
              <Name text={vim.auth_url ?? ''} />
            </code>
          </span>
          <span>
            as VIM <Name text={vim.name ?? vim.id ?? ''} /> <State state={vim.status ?? ''} />
          </span>
        </>
      )}
    </p>
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
          <Table label="Certificates" heads={['Left', 'Ends', 'Master', 'Certificate']}>
            {first.map((certificate) => {
              const { text, tone } = leftOf(certificate, Date.now());
              return (
                <tr key={`${certificate.master} ${certificate.name}`}>
                  <td>
                    <span class={`state ${tone}`}>{text}</span>
                  </td>
                  <td>{moment(certificate.endsAt)}</td>
                  <td>
                    <Name text={certificate.master} />
                  </td>
                  <td>
                    <Name text={certificate.name} />
                  </td>
                </tr>
              );
            })}
          </Table>
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
              <td>{moment(snapshot.takenAt)}</td>
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
