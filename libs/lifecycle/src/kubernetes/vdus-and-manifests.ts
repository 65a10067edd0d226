import { identityOf, REPLICATED, TEMPLATED, type Flavour, type Manifest, type Vdu } from '@windlass/vnf-package';

/** Kinds whose pods are VNFCs. A Job's are done before anybody could heal them. */
const OF_VNFCS: ReadonlySet<string> = new Set([...TEMPLATED, 'Pod'].filter((kind) => kind !== 'Job'));

/**
 * The VDU of the VNFCs that an object's pods are: the VDU whose property `name` is the object's name, as in the reference system, or whose node has
 * that name. Without such a VDU the pods are VNFCs all the same, of a VDU named like the object. Null for an object that makes no pods.
 */
export function vduOfObject(vdus: readonly Pick<Vdu, 'id' | 'name'>[], object: { kind: string; name: string }): string | null {
  if (!OF_VNFCS.has(object.kind)) return null;
  const found = vdus.find(({ name }) => name === object.name) ?? vdus.find(({ id }) => id === object.name);
  return found?.id ?? object.name;
}

/** VDUs of the flavour that no object is: sentences. */
export function withoutManifest({ vdus }: Flavour, manifests: readonly Manifest[]): string[] {
  const objects = manifests.map(({ object }) => identityOf(object));
  const made = new Set(objects.map((object) => vduOfObject(vdus, object)));
  const absent = vdus
    .filter(({ id }) => !made.has(id))
    .map(({ id, name }) => `no manifest is of the VDU ${id}: none has an object that makes pods and is called "${name}"`);
  const twice = vdus.flatMap(({ id }) => {
    const replicated = objects.filter((object) => REPLICATED.has(object.kind) && vduOfObject(vdus, object) === id);
    return replicated.length < 2
      ? []
      : [`${replicated.length} objects are of the VDU ${id}: each has as many pods as the VDU wants`];
  });
  return [...absent, ...twice];
}
