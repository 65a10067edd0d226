import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import type { Instance } from '../api/types.js';
import { Paged } from '../components/paged.js';
import { Id, Name, Problem, State, Table } from '../components/elements.js';
import { hrefOf } from '../state/route.js';
import { failedByInstance, failedOperationPaths, type FailedOperation } from '../state/failed-operations.js';
import { useLoaded } from '../state/use-loaded.js';

/** Operations that are read of one list: of fifty instances there are no more. */
const MOST = 50;

/** The VNF instances of the project, a page of the server's at a time. */
export function InstancesPage(): JSX.Element {
  return (
    <>
      <h1>Instances</h1>
      <Paged<Instance>
        path={pathOf('/vnflcm/v1/vnf_instances')}
        nothing="No VNF instance yet. ./windlass vnf create makes one of an onboarded package."
      >
        {(instances) => <InstanceTable instances={instances} />}
      </Paged>
    </>
  );
}

/** Each with its state, and with the operation of it that waits for a decision. */
function InstanceTable({ instances }: { instances: readonly Instance[] }): JSX.Element {
  const paths = failedOperationPaths(instances.map(({ id }) => id));
  const { value, error } = useLoaded(
    async (client) => failedByInstance((await Promise.all(paths.map((path) => client.all<FailedOperation>(path, MOST)))).flat()),
    [instances],
  );
  return (
    <>
      <Problem error={error} />
      <div class="cards">
        <Table label="VNF instances" heads={['Name', 'State', 'Product', 'Version', 'Id']}>
          {instances.map((each) => (
            <InstanceRow key={each.id} instance={each} failed={value?.get(each.id)} />
          ))}
        </Table>
      </div>
    </>
  );
}

interface InstanceRowProps {
  instance: Instance;
  failed: FailedOperation | undefined;
}

const InstanceRow = ({ instance, failed }: InstanceRowProps): JSX.Element => (
  <tr class={failed === undefined ? undefined : 'broken'}>
    <td>
      <a href={hrefOf('instances', instance.id)}>
        <Name text={nameOfInstance(instance)} />
      </a>
    </td>
    <td>
      <State state={instance.instantiationState} />
      {failed !== undefined && (
        <>
          {' '}
          <a class="way" href={hrefOf('operations', failed.id)}>
            {failed.operation} waits for a decision
          </a>
        </>
      )}
    </td>
    <td>
      <Name text={instance.vnfProductName} /> <span class="hint">of</span> <Name text={instance.vnfProvider} />
    </td>
    <td>
      <Name text={instance.vnfSoftwareVersion} />
    </td>
    <td>
      <Id id={instance.id} />
    </td>
  </tr>
);

/** What an instance is called; its id where it has no name. */
export const nameOfInstance = ({ id, vnfInstanceName }: Pick<Instance, 'id' | 'vnfInstanceName'>): string =>
  vnfInstanceName === undefined || vnfInstanceName === '' ? id : vnfInstanceName;
