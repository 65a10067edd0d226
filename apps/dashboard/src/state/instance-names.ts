import { useEffect, useState } from 'preact/hooks';
import { session } from './session.js';

/** Ids that are asked for at once: the address of a request has an end. */
const AT_ONCE = 50;

/** Names of VNF instances by their ids, asked for once each; those without a name are not in it. */
export function useInstanceNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const [asked] = useState(() => new Set<string>());
  const client = session.value?.client;
  const wanted = [...new Set(ids)].sort().join(',');
  useEffect(() => {
    const missing = wanted
      .split(',')
      .filter((id) => id !== '' && !asked.has(id))
      .slice(0, AT_ONCE);
    if (client === undefined || missing.length === 0) return;
    for (const id of missing) asked.add(id);
    const filter = `(in,id,${missing.join(',')})`;
    client.get('/vnflcm/v1/vnf_instances', {}, { filter }).then(
      (instances) => {
        const named = (instances as { id: string; vnfInstanceName?: string }[]).flatMap(({ id, vnfInstanceName: name }) =>
          name === undefined || name === '' ? [] : [[id, name] as const],
        );
        setNames((before) => new Map([...before, ...named]));
      },
      // Ids are shown where names can't be had.
      () => {
        for (const id of missing) asked.delete(id);
      },
    );
  }, [client, wanted]);
  return names;
}
