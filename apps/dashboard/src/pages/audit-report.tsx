import type { JSX } from 'preact';
import { Id, Name, Nothing, Table } from '../components/elements.js';
import type { Finding, Report } from '../state/audit.js';
import { hrefOf } from '../state/route.js';
import { moment } from '../state/words.js';

const KINDS = [
  { of: 'orphans', title: 'Orphans: they carry the tag of this Windlass, and are on no record' },
  { of: 'missing', title: 'Missing: they are on record, and the VIM does not have them' },
  { of: 'differences', title: 'Differences between record and VIM' },
  { of: 'foreign', title: 'Foreign: in our servers, but not of our stacks. Never touched' },
  { of: 'unclaimed', title: 'Of another Windlass, or of an older one. Never touched' },
] as const;

/** What an audit found, a table for each kind. */
export function AuditReport({ report }: { report: Report }): JSX.Element {
  const found = KINDS.filter(({ of }) => report[of].length > 0);
  const failed = report.vims.filter(({ failure }) => failure !== undefined);
  const nameOf = new Map(report.vims.map(({ id, name }) => [id, name]));
  return (
    <div role="status">
      <p class="hint">
        Compared {moment(report.at)} with VIMs: {report.vims.length}.
        {report.busy.length > 0 && ` Of instances being worked on nothing is said: ${report.busy.length}.`}
        {report.cleanUps.length > 0 && ` Clean-ups begun, which stand above: ${report.cleanUps.length}.`}
      </p>
      {failed.map(({ id, name, failure = '' }) => (
        <p key={id} class="problem">
          <strong>
            VIM <Name text={name} /> could not be looked at
          </strong>{' '}
          <Name text={failure} />
        </p>
      ))}
      {found.length === 0 && <Nothing>Nothing is in a VIM that should not be there, and nothing is missing.</Nothing>}
      {found.map(({ of, title }) => (
        <div key={of}>
          <h3>
            {title} ({report[of].length})
          </h3>
          <Findings label={title} findings={report[of]} nameOf={nameOf} />
        </div>
      ))}
    </div>
  );
}

interface FindingsProps {
  label: string;
  findings: readonly Finding[];
  /** Names of VIMs by their ids. */
  nameOf: ReadonlyMap<string, string>;
}

const Findings = ({ label, findings, nameOf }: FindingsProps): JSX.Element => (
  <Table label={label} heads={['Kind', 'Name', 'Id', 'VIM', 'Instance', 'Says']}>
    {findings.map(({ type, name, id, vimId, vnfInstanceId, detail }) => (
      <tr key={`${vimId} ${type} ${id}`}>
        <td>{type}</td>
        <th scope="row">
          <Name text={name} />
        </th>
        <td>
          <Id id={id} />
        </td>
        <td>
          <Name text={nameOf.get(vimId) ?? vimId} />
        </td>
        <td>
          {vnfInstanceId !== undefined && (
            <a href={hrefOf('instances', vnfInstanceId)}>
              <Id id={vnfInstanceId} />
            </a>
          )}
        </td>
        <td class="says">
          <Name text={detail} />
        </td>
      </tr>
    ))}
  </Table>
);
