import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import type { Instance } from '../api/types.js';
import { Name, Nothing, Problem, Section, Table } from '../components/elements.js';
import { runningOut } from '../state/certificates.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment } from '../state/words.js';
import { CertificateTable } from './certificate-table.js';

/** Instances that are looked through, and certificates that are shown. */
const MOST = 300;
const FIRST = 10;

/** Certificates of the project's clusters that run out soon. */
export function Certificates(): JSX.Element {
  // Those that lead to a cluster alone: of thousands of instances it is those few that have certificates.
  const query = { filter: '(eq,vimConnectionInfo/vimType,kubernetes)', fields: 'vnfInstanceName,instantiatedVnfInfo' };
  const { value, error } = useLoaded((client) => client.all<Instance>(pathOf('/vnflcm/v1/vnf_instances', {}, query), MOST), []);
  const soon = runningOut(value ?? [], Date.now());
  return (
    <Section title="Certificates that run out">
      <Problem error={error} />
      {value !== undefined && soon.length === 0 && <Nothing>None within 60 days, as far as anybody has looked.</Nothing>}
      {soon.length > 0 && <CertificateTable label="Certificates that run out" rows={soon.slice(0, FIRST)} />}
      {soon.length > FIRST && <p class="hint">And {soon.length - FIRST} more: the page of an instance has its own.</p>}
      {value !== undefined && value.length >= MOST && <p class="hint">Of the first {value.length} clusters.</p>}
    </Section>
  );
}

interface Driver {
  name: string;
  service: string;
  version: string;
  announcedAt: string;
}

/** Services with management drivers, and their versions; for admins. */
export function Services(): JSX.Element {
  const { value, error } = useLoaded(async (client) => (await client.page<Driver>('/windlass/v1/drivers')).items, []);
  return (
    <Section title="Services with management drivers">
      <Problem error={error} />
      {value?.length === 0 && <Nothing>No management driver has announced itself.</Nothing>}
      {value !== undefined && value.length > 0 && (
        <Table label="Services with management drivers" heads={['Service', 'Driver', 'Version', 'Announced']}>
          {value.map(({ name, service, version, announcedAt }) => (
            <tr key={name}>
              <th scope="row">
                <Name text={service} />
              </th>
              <td>
                <Name text={name} />
              </td>
              <td>
                <Name text={version} />
              </td>
              <td class="when">{moment(announcedAt)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
