import type { JSX } from 'preact';
import { pathOf } from '../api/client.js';
import type { Instance } from '../api/types.js';
import { Paged } from '../parts/paged.js';
import { Id, Name, Problem, State, Table } from '../parts/parts.js';
import { hrefOf } from '../state/route.js';
import { standingBy, standingPaths, type StandingOperation } from '../state/standing.js';
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
  const paths = standingPaths(instances.map(({ id }) => id));
  const { value, error } = useLoaded(
    async (client) => standingBy((await Promise.all(paths.map((path) => client.all<StandingOperation>(path, MOST)))).flat()),
    [instances],
  );
  return (
    <>
      <Problem error={error} />
      <div class="cards">
        <Table label="VNF instances" heads={['Name', 'State', 'Product', 'Version', 'Id']}>
          {instances.map((each) => (
            <InstanceRow key={each.id} instance={each} standing={value?.get(each.id)} />
          ))}
        </Table>
      </div>
    </>
  );
}

interface InstanceRowProps {
  instance: Instance;
  standing: StandingOperation | undefined;
}

const InstanceRow = ({ instance, standing }: InstanceRowProps): JSX.Element => (
  <tr class={standing === undefined ? undefined : 'broken'}>
    <td>
      <a href={hrefOf('instances', instance.id)}>
        <Name text={nameOfInstance(instance)} />
      </a>
    </td>
    <td>
      <State state={instance.instantiationState} />
      {standing !== undefined && (
        <>
          {' '}
          <a class="way" href={hrefOf('operations', standing.id)}>
            {standing.operation} waits for a decision
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
