import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import { Paged } from '../parts/paged.js';
import { Id, Name, State, Table } from '../parts/parts.js';

/** A VNF package as it is shown (SOL003 10.5.2.2), as far as it is read here. */
interface Package {
  id: string;
  vnfdId?: string;
  vnfProvider?: string;
  vnfProductName?: string;
  vnfSoftwareVersion?: string;
  onboardingState: string;
  operationalState: string;
  usageState: string;
  onboardingFailureDetails?: { detail?: string };
  windlassWarnings?: string[];
  softwareImages?: { id: string; name: string }[];
}

/** The VNF packages of the project, with what onboarding said of each. */
export function PackagesPage(): JSX.Element {
  return (
    <>
      <h1>Packages</h1>
      <Paged<Package> path={pathOf('/vnfpkgm/v1/vnf_packages')} nothing="No package yet. ./windlass vnf onboard brings one.">
        {(packages) => (
          <Table label="VNF packages" heads={['Product', 'Version', 'State', 'Images', 'What onboarding said', 'VNFD']}>
            {packages.map((each) => (
              <PackageRow key={each.id} shown={each} />
            ))}
          </Table>
        )}
      </Paged>
    </>
  );
}

function PackageRow({ shown }: { shown: Package }): JSX.Element {
  const { id, vnfdId, vnfProvider = '', vnfProductName, vnfSoftwareVersion = '', softwareImages = [] } = shown;
  const { onboardingState, operationalState, usageState, onboardingFailureDetails, windlassWarnings = [] } = shown;
  return (
    <tr>
      <th scope="row">
        <Name text={vnfProductName ?? id} />
        {vnfProvider !== '' && (
          <span class="hint">
            {' '}
            of <Name text={vnfProvider} />
          </span>
        )}
      </th>
      <td>
        <Name text={vnfSoftwareVersion} />
      </td>
      <td>
        <State state={onboardingFailureDetails === undefined ? onboardingState : 'FAILED'} /> {operationalState.toLowerCase()},{' '}
        {usageState === 'IN_USE' ? 'in use' : 'not in use'}
      </td>
      <td>
        <Name text={softwareImages.map(({ name }) => name).join(', ')} />
      </td>
      <td class="says">
        {onboardingFailureDetails?.detail !== undefined && <Name text={onboardingFailureDetails.detail} />}
        <ul class="plain">
          {windlassWarnings.map((warning) => (
            <li key={warning}>
              <Name text={warning} />
            </li>
          ))}
        </ul>
      </td>
      <td>{vnfdId !== undefined && <Id id={vnfdId} />}</td>
    </tr>
  );
}
