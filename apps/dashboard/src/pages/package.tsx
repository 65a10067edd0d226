import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf, type ApiClient } from '../api/client.js';
import type { Package } from '../api/types.js';
import { Id, Name, Nothing, Problem, Section, State, Table } from '../components/elements.js';
import { flavoursIn, type ShownFlavour, type ShownVdu } from '../state/descriptor.js';
import { hrefOf } from '../state/route.js';
import { mayOperate, session } from '../state/session.js';
import { useLoaded } from '../state/use-loaded.js';
import { sizeText } from '../state/words.js';
import { textsInZip } from '../state/zip-texts.js';
import { OnboardingMessages } from './onboarding-messages.js';

const PACKAGE = '/vnfpkgm/v1/vnf_packages/{id}';

/** One VNF package: what onboarding said, the flavours of its descriptor, its images and files. */
export function PackagePage({ id }: { id: string }): JSX.Element {
  const { value, error } = useLoaded(
    async (client) => (await (await client.send('GET', pathOf(PACKAGE, { id }))).json()) as Package,
    [id],
  );
  return (
    <>
      <div class="heading">
        <h1>{value === undefined ? 'Package' : <Name text={value.vnfProductName ?? value.id} />}</h1>
        {value !== undefined && <State state={value.onboardingFailureDetails === undefined ? value.onboardingState : 'FAILED'} />}
      </div>
      <Problem error={error} />
      {value !== undefined && (
        <>
          <Details shown={value} />
          <OnboardingMessages shown={value} />
          {value.onboardingState === 'ONBOARDED' ? <Contents shown={value} /> : <Remove id={value.id} />}
        </>
      )}
    </>
  );
}

const Details = ({ shown }: { shown: Package }): JSX.Element => (
  <p class="facts">
    {shown.vnfProvider !== undefined && (
      <span>
        <Name text={shown.vnfSoftwareVersion ?? ''} /> of <Name text={shown.vnfProvider} />
      </span>
    )}
    <span>{shown.operationalState.toLowerCase()}</span>
    <span>{shown.usageState === 'IN_USE' ? 'in use by instances' : 'not in use'}</span>
    {shown.vnfdId !== undefined && (
      <span>
        VNFD <Id id={shown.vnfdId} />
      </span>
    )}
    {shown.checksum !== undefined && (
      <span>
        {shown.checksum.algorithm} <code title={shown.checksum.hash}>{shown.checksum.hash.slice(0, 12)}…</code>
      </span>
    )}
    <Id id={shown.id} />
  </p>
);

/** What was refused, or never sent, is of use to nobody. */
function Remove({ id }: { id: string }): JSX.Element | null {
  const [error, setError] = useState<unknown>(undefined);
  const who = session.value?.who;
  if (who === undefined || !mayOperate(who)) return null;
  const remove = (): void => {
    session.value?.client.send('DELETE', pathOf(PACKAGE, { id })).then(() => {
      location.hash = hrefOf('packages');
    }, setError);
  };
  return (
    <>
      <Problem error={error} />
      <div class="buttons">
        <button type="button" class="quiet" onClick={remove}>
          Remove this package
        </button>
        <span class="hint">It is not onboarded: no instance can be made of it.</span>
      </div>
    </>
  );
}

async function flavours(client: ApiClient, id: string): Promise<ShownFlavour[]> {
  const answer = await client.send('GET', `${pathOf(PACKAGE, { id })}/vnfd`, { headers: { Accept: 'application/zip' } });
  const zip = new Uint8Array(await answer.arrayBuffer());
  return flavoursIn(textsInZip(zip, (name) => /\.(ya?ml|vnfd)$/i.test(name)).values());
}

function Contents({ shown }: { shown: Package }): JSX.Element {
  const { value, error } = useLoaded((client) => flavours(client, shown.id), [shown.id]);
  const { softwareImages: images = [], additionalArtifacts: files = [] } = shown;
  return (
    <>
      <Problem error={error} />
      {value?.length === 0 && <Nothing>Its descriptor has no flavour that can be drawn here.</Nothing>}
      {value?.map((flavour) => (
        <Flavour key={flavour.id} flavour={flavour} />
      ))}
      <Section title={`Images (${images.length})`}>
        {images.length === 0 ? (
          <Nothing>It has no image.</Nothing>
        ) : (
          <Table label="Images" heads={['Image', 'Of', 'Version', 'Size', 'Format']}>
            {images.map(({ id, name, version = '', size, diskFormat = '' }) => (
              <tr key={id}>
                <th scope="row">
                  <Name text={name} />
                </th>
                <td>
                  <Name text={id} />
                </td>
                <td>
                  <Name text={version} />
                </td>
                <td>{size === undefined ? '' : sizeText(size)}</td>
                <td>{diskFormat}</td>
              </tr>
            ))}
          </Table>
        )}
      </Section>
      <Section title={`Files (${files.length})`}>
        {files.length === 0 ? (
          <Nothing>It declares no artifact beside its images.</Nothing>
        ) : (
          <Table label="Files" heads={['Path', 'Checksum']}>
            {files.map(({ artifactPath, checksum }) => (
              <tr key={artifactPath}>
                <th scope="row">
                  <Name text={artifactPath} />
                </th>
                <td>
                  {checksum !== undefined && (
                    <>
                      {checksum.algorithm} <code title={checksum.hash}>{checksum.hash.slice(0, 12)}…</code>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Section>
    </>
  );
}

const Flavour = ({ flavour: { id, description, vdus, aspects } }: { flavour: ShownFlavour }): JSX.Element => (
  <Section title={`Flavour ${id}`}>
    {description !== '' && (
      <p class="hint">
        <Name text={description} />
      </p>
    )}
    <Table label={`VMs of flavour ${id}`} heads={['VDU', 'How many', 'Size', 'Image', 'Ports: network', 'Volumes']}>
      {vdus.map((vdu) => (
        <Vdu key={vdu.name} vdu={vdu} />
      ))}
    </Table>
    {aspects.length > 0 && (
      <p class="facts">
        {aspects.map(({ id: aspect, maxLevel }) => (
          <span key={aspect}>
            scales <Name text={aspect} /> up to level {maxLevel}
          </span>
        ))}
      </p>
    )}
  </Section>
);

const Vdu = ({ vdu: { name, instances, size, image, ports, volumes } }: { vdu: ShownVdu }): JSX.Element => (
  <tr>
    <th scope="row">
      <Name text={name} />
    </th>
    <td>
      <Name text={instances} />
    </td>
    <td>
      <Name text={size} />
    </td>
    <td>
      <Name text={image} />
    </td>
    <td>
      <ul class="plain">
        {ports.map((port) => (
          <li key={port.name}>
            <Name text={port.name} />
            <span class="hint">: </span>
            <Name text={port.network} />
          </li>
        ))}
      </ul>
    </td>
    <td>
      <Name text={volumes.join(', ')} />
    </td>
  </tr>
);
