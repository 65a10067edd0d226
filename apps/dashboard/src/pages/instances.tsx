import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import type { Instance } from '../api/types.js';
import { Paged } from '../parts/paged.js';
import { Id, Name, State, Table } from '../parts/parts.js';
import { hrefOf } from '../state/route.js';

/** The VNF instances of the project, a page of the server's at a time. */
export function InstancesPage(): JSX.Element {
  return (
    <>
      <h1>Instances</h1>
      <Paged<Instance>
        path={pathOf('/vnflcm/v1/vnf_instances')}
        nothing="No VNF instance yet. ./windlass vnf create makes one of an onboarded package."
      >
        {(instances) => (
          <Table label="VNF instances" heads={['Name', 'State', 'Product', 'Version', 'Id']}>
            {instances.map((each) => (
              <tr key={each.id}>
                <td>
                  <a href={hrefOf('instances', each.id)}>
                    <Name text={nameOfInstance(each)} />
                  </a>
                </td>
                <td>
                  <State state={each.instantiationState} />
                </td>
                <td>
                  <Name text={each.vnfProductName} /> <span class="hint">of</span> <Name text={each.vnfProvider} />
                </td>
                <td>
                  <Name text={each.vnfSoftwareVersion} />
                </td>
                <td>
                  <Id id={each.id} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Paged>
    </>
  );
}

/** What an instance is called; its id where it has no name. */
export const nameOfInstance = ({ id, vnfInstanceName }: Pick<Instance, 'id' | 'vnfInstanceName'>): string =>
  vnfInstanceName === undefined || vnfInstanceName === '' ? id : vnfInstanceName;
