import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import type { Package } from '../api/types.js';
import { Paged } from '../components/paged.js';
import { Id, Name, State, Table } from '../components/elements.js';
import { hrefOf } from '../state/route.js';
import { mayOperate, session } from '../state/session.js';
import { OnboardingMessages } from './onboarding-messages.js';
import { Upload } from './upload.js';

/** The VNF packages of the project, with what onboarding said of each. */
export function PackagesPage(): JSX.Element {
  const [uploads, setUploads] = useState(0);
  const who = session.value?.who;
  return (
    <>
      <h1>Packages</h1>
      {who !== undefined && mayOperate(who) && <Upload onNews={() => setUploads((count) => count + 1)} />}
      <Paged<Package> key={uploads} path={pathOf('/vnfpkgm/v1/vnf_packages')} nothing="No package yet.">
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
  const { onboardingState, operationalState, usageState, onboardingFailureDetails } = shown;
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf('packages', id)}>
          <Name text={vnfProductName ?? id} />
        </a>
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
        <OnboardingMessages shown={shown} />
      </td>
      <td>{vnfdId !== undefined && <Id id={vnfdId} />}</td>
    </tr>
  );
}
