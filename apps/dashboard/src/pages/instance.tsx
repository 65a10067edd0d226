import type { JSX } from 'preact';
import type { Instance, InstantiatedInfo } from '../api/types.js';
import { Id, Live, Name, Nothing, Problem, Section, State, Table } from '../components/elements.js';
import { isFinal, OperationsModel } from '../state/steps.js';
import { useLive } from '../state/use-live.js';
import { useLoaded } from '../state/use-loaded.js';
import { topologyOf, type ShownVnfc, type Topology } from '../state/topology.js';
import { Actions } from './actions.js';
import { ClusterOf } from './cluster.js';
import { OpenOperation } from './open-operation.js';
import { nameOfInstance } from './instances.js';
import { OperationList } from './operations.js';

/** One VNF instance: what it is made of, what can be asked for, and its operations. */
export function InstancePage({ id }: { id: string }): JSX.Element {
  const { model, state } = useLive(`/windlass/v1/events?vnfInstanceId=${encodeURIComponent(id)}`, () => new OperationsModel());
  // What an operation did is seen when its state changes.
  const news = model.operations.map((each) => `${each.id} ${each.operationState}`).join(',');
  const open = model.operations.find((each) => !isFinal(each));
  const { value, error } = useLoaded((client) => client.get('/vnflcm/v1/vnf_instances/{id}', { id }), [id, news]);
  return (
    <>
      <div class="heading">
        <h1>{value === undefined ? 'Instance' : <Name text={nameOfInstance(value)} />}</h1>
        {value !== undefined && <State state={value.instantiationState} />}
        <Live state={state} />
      </div>
      <Problem error={error} />
      {value !== undefined && (
        <>
          <Details instance={value} />
          {open === undefined ? <Actions instance={value} /> : <OpenOperation operation={open} />}
          {value.instantiatedVnfInfo === undefined ? (
            open === undefined && <Nothing>It is not instantiated: it has no resources.</Nothing>
          ) : (
            <Resources instance={value} info={value.instantiatedVnfInfo} />
          )}
          <Section title="Operations">
            <OperationList key={news} filter={`(eq,vnfInstanceId,${id})`} />
          </Section>
        </>
      )}
    </>
  );
}

function Details({ instance }: { instance: Instance }): JSX.Element {
  const {
    vnfInstanceDescription: description,
    vnfProductName,
    vnfProvider,
    vnfSoftwareVersion,
    instantiatedVnfInfo: info,
  } = instance;
  return (
    <>
      <p class="facts">
        <span>
          <Name text={vnfProductName} /> <Name text={vnfSoftwareVersion} /> of <Name text={vnfProvider} />
        </span>
        {info !== undefined && <span>flavour {info.flavourId}</span>}
        {info !== undefined && <State state={info.vnfState} />}
        {info?.scaleStatus?.map(({ aspectId, scaleLevel }) => (
          <span key={aspectId}>
            <Name text={aspectId} /> at level {scaleLevel}
          </span>
        ))}
        <Id id={instance.id} />
      </p>
      {description !== undefined && description !== '' && (
        <p>
          <Name text={description} />
        </p>
      )}
    </>
  );
}

function Resources({ instance, info }: { instance: Instance; info: InstantiatedInfo }): JSX.Element {
  const topology = topologyOf(info);
  return (
    <>
      <ClusterOf instance={instance} vnfcs={topology.vnfcs} />
      <Section title={`VMs (${topology.vnfcs.length})`}>
        {topology.vnfcs.length === 0 ? <Nothing>It has no VM.</Nothing> : <VnfcTable vnfcs={topology.vnfcs} />}
      </Section>
      <Networks topology={topology} />
    </>
  );
}

const VnfcTable = ({ vnfcs }: { vnfcs: readonly ShownVnfc[] }): JSX.Element => (
  <Table
    label="VMs with their ports and volumes"
    heads={['VDU', 'State', 'Ports: network and addresses', 'Volumes', 'VM at the VIM', 'VNFC']}
  >
    {vnfcs.map(({ id, vdu, state, ports, volumes, resource }) => (
      <tr key={id}>
        <th scope="row">
          <Name text={vdu} />
        </th>
        <td>{state !== undefined && <State state={state} />}</td>
        <td>
          <ul class="plain">
            {ports.map((port) => (
              <li key={port.id}>
                <Name text={port.cpd} /> <span class="hint">on</span> <Name text={port.network} />{' '}
                <code>
                  <Name text={port.addresses.join(', ')} />
                </code>
              </li>
            ))}
          </ul>
        </td>
        <td>
          <ul class="plain">
            {volumes.map((volume) => (
              <li key={volume.id}>
                <Name text={volume.name} /> <Id id={volume.resource} />
              </li>
            ))}
          </ul>
        </td>
        <td>
          <Id id={resource} />
        </td>
        <td>
          <Id id={id} />
        </td>
      </tr>
    ))}
  </Table>
);

function Networks({ topology: { networks } }: { topology: Topology }): JSX.Element | null {
  if (networks.length === 0) return null;
  return (
    <Section title={`Networks (${networks.length})`}>
      <Table label="Networks" heads={['Network', 'Kind', 'Ports', 'At the VIM']}>
        {networks.map(({ id, name, kind, ports, resource }) => (
          <tr key={id}>
            <th scope="row">
              <Name text={name} />
            </th>
            <td>{kind}</td>
            <td>{ports}</td>
            <td>
              <Id id={resource} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
