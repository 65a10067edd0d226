import type { JSX } from 'preact';
import { Name, Table } from '../components/elements.js';
import { leftOf, type Certificate } from '../state/certificates.js';
import { hrefOf } from '../state/route.js';
import { moment } from '../state/words.js';
import { nameOfInstance } from './instances.js';

interface CertificateTableProps {
  label: string;
  /** `of` is the instance whose cluster has it, where several are shown. */
  rows: readonly { certificate: Certificate; of?: { id: string; vnfInstanceName?: string } }[];
}

/** Certificates of clusters, and how long each has. */
export function CertificateTable({ label, rows }: CertificateTableProps): JSX.Element {
  const hasInstances = rows.some(({ of }) => of !== undefined);
  return (
    <Table label={label} heads={['Left', 'Ends', ...(hasInstances ? ['Instance'] : []), 'Master', 'Certificate']}>
      {rows.map(({ certificate, of }) => {
        const { text, tone } = leftOf(certificate, Date.now());
        return (
          <tr key={`${of?.id ?? ''} ${certificate.master} ${certificate.name}`}>
            <td>
              <span class={`state ${tone}`}>{text}</span>
            </td>
            <td class="when">{moment(certificate.endsAt)}</td>
            {of !== undefined && (
              <td>
                <a href={hrefOf('instances', of.id)}>
                  <Name text={nameOfInstance(of)} />
                </a>
              </td>
            )}
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
  );
}
