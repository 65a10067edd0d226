import type { ListedObject, ObjectRef } from '../records/cluster-objects.js';
import { isSameObject } from '../kubernetes/cluster-steps.js';
import type { AuditVimOutput, ListedImage, ListedResource, ListedStack } from '../stack/infra-actions.js';
import type { SharedImage } from '../records/shared-image.js';
import { deploymentTag, imageTag, SHARED_IMAGE_TAG, vnfOfTag } from '../records/names.js';
import type { AuditFinding, AuditReport } from '../records/audit-report.js';
import type { AuditView, ExpectedVnf } from '../records/audit-view.js';
import { describedVimId, type AuditedVim } from '../records/internal-operation.js';

export interface Comparison {
  tenant: string;
  deploymentId: string;
  vims: readonly AuditedVim[];
  /** What each VIM answered, in the order of `vims`. */
  listings: readonly AuditVimOutput[];
  /** A look at the database before the VIMs were asked. */
  before: Pick<AuditView, 'at' | 'busy'>;
  /** And one after; what changed in between is busy in it. */
  after: AuditView;
}

/**
 * Compares the database with the VIMs. A thing is called an orphan only if nobody owned it before and after the listing, and nothing worked on its
 * instance at either time. Pure: the same input gives the same report.
 */
export function compare(comparison: Comparison): AuditReport {
  const { before, after, vims, listings, tenant } = comparison;
  const busy = new Set([...before.busy, ...after.busy]);
  const report: AuditReport = {
    at: before.at,
    vims: vims.map(({ id, name }, index) => {
      const failure = listings[index]?.failure?.detail;
      return { id, name, ...(failure === undefined ? {} : { failure }) };
    }),
    orphans: [],
    missing: [],
    foreign: [],
    differences: [],
    unclaimed: [],
    busy: [...busy].sort(),
    waiting: after.waiting.filter((each) => each.tenant === tenant).map(({ tenant: _tenant, ...shown }) => shown),
    cleanUps: [],
  };
  const comparer = new VimComparer(comparison, busy, report);
  vims.forEach(({ id }, index) => {
    const listing = listings[index];
    if (listing !== undefined && listing.failure === undefined) comparer.compare(id, listing);
  });
  return report;
}

class VimComparer {
  readonly #expected: ReadonlyMap<string, ExpectedVnf>;
  readonly #tag: string;
  /** Two registered VIMs may be the same project of the same OpenStack. */
  readonly #told = new Set<string>();

  constructor(
    private readonly comparison: Comparison,
    private readonly busy: ReadonlySet<string>,
    private readonly report: AuditReport,
  ) {
    this.#expected = new Map(comparison.after.vnfs.map((vnf) => [vnf.vnfInstanceId, vnf]));
    this.#tag = deploymentTag(comparison.deploymentId);
  }

  compare(vimId: string, listing: AuditVimOutput): void {
    for (const stack of listing.stacks) this.#stack(vimId, stack);
    for (const image of listing.images) this.#image(vimId, image);
    for (const object of listing.objects ?? []) this.#object(vimId, object);
    for (const vnf of this.comparison.after.vnfs) {
      const lies = vnf.vim?.vimId ?? describedVimId(vnf.vnfInstanceId);
      if (vnf.tenant !== this.comparison.tenant || lies !== vimId || vnf.leftover || this.busy.has(vnf.vnfInstanceId)) continue;
      this.#missing(vimId, vnf, listing);
      if (listing.objects !== undefined) this.#missingObjects(vimId, vnf, listing.objects);
    }
    for (const image of this.comparison.after.sharedImages) this.#missingShared(vimId, image, listing);
  }

  #stack(vimId: string, stack: ListedStack): void {
    const thing = { vimId, type: 'stack', id: stack.id, name: stack.name } as const;
    const owner = this.#ownerOf(stack.tags);
    if (owner !== undefined && this.busy.has(owner)) return;
    const expected = owner === undefined ? undefined : this.#expected.get(owner);
    if (expected?.stack == null || !isSame(expected.stack, stack)) {
      this.#ownerless(thing, stack.tags, owner);
      return;
    }
    if (stack.status.endsWith('_FAILED') && !expected.leftover)
      this.#tell('differences', { ...thing, detail: `the stack is ${stack.status}` }, owner);
    if (expected.leftover) return;
    const recorded = new Set(expected.resources.map(({ id }) => id));
    for (const resource of stack.resources ?? []) this.#resource(vimId, resource, recorded, owner);
  }

  /**
   * An object that an instance with objects does not have on its record may come from a newer version of that instance. It is a difference, and never
   * an orphan.
   */
  #object(vimId: string, { ref, uid, vnfInstanceId: owner, deploymentTag: tag, applied, replicas }: ListedObject): void {
    if (this.busy.has(owner)) return;
    const thing = { vimId, type: 'object', id: uid, name: objectName(ref) } as const;
    const expected = this.#expected.get(owner);
    const known = expected?.objects?.find((each) => isSameObject(each, ref));
    if (known !== undefined) {
      const { pods } = known;
      if (pods !== undefined && replicas !== undefined && pods !== replicas)
        this.#tell('differences', { ...thing, detail: `it wants ${replicas} pods, the instance's record has ${pods}` }, owner);
      return;
    }
    if (tag !== this.#tag || !applied) {
      const detail = applied
        ? 'it does not carry the tag of this Windlass'
        : 'it carries our labels, and Windlass has not applied it';
      this.#tell('unclaimed', { ...thing, detail }, owner);
    } else if (expected?.objects !== undefined) {
      if (expected.tenant === this.comparison.tenant)
        this.#tell('differences', { ...thing, detail: "the instance's record has no such object" }, owner);
    } else this.#tell('orphans', { ...thing, ref, detail: 'it carries our labels, and no instance has it' }, owner);
  }

  #missingObjects(vimId: string, { objects = [], vnfInstanceId }: ExpectedVnf, listed: readonly ListedObject[]): void {
    for (const ref of objects) {
      if (listed.some((each) => each.vnfInstanceId === vnfInstanceId && isSameObject(each.ref, ref))) continue;
      const name = objectName(ref);
      this.#tell(
        'missing',
        { vimId, type: 'object', id: name, name, detail: 'the cluster has no such object with our labels' },
        vnfInstanceId,
      );
    }
  }

  #resource(vimId: string, { type, id, name, state }: ListedResource, recorded: ReadonlySet<string>, owner?: string): void {
    const thing = { vimId, type, id, name };
    if (state === 'foreign')
      this.#tell('foreign', { ...thing, detail: `a ${type} in a server of ours that is not of its stack` }, owner);
    else if (state === 'there' && !recorded.has(id))
      this.#tell('differences', { ...thing, detail: `the stack has this ${type}, the instance's record has not` }, owner);
    else if (state === 'gone')
      this.#tell('missing', { ...thing, detail: `the stack lists this ${type}, its service has it no more` }, owner);
  }

  #image(vimId: string, image: ListedImage): void {
    if (image.tags.includes(SHARED_IMAGE_TAG)) {
      this.#shared(vimId, image);
      return;
    }
    const owner = this.#ownerOf(image.tags);
    if (owner !== undefined && this.busy.has(owner)) return;
    const expected = owner === undefined ? undefined : this.#expected.get(owner);
    if (expected?.images.includes(image.id) === true) return;
    // An image whose upload died before its report is known by the id of the image that it replaces.
    if (expected?.leftover === true && expected.images.some((id) => image.tags.includes(imageTag(id)))) return;
    this.#ownerless({ vimId, type: 'image', id: image.id, name: image.name }, image.tags, owner);
  }

  /**
   * A shared image that was uploaded in place of an earlier one is known by the earlier one's id. That id stands on the record before the upload, and
   * until the image is gone.
   */
  #shared(vimId: string, { id, name, tags }: ListedImage): void {
    const thing = { vimId, type: 'image', id, name } as const;
    const { sharedImages } = this.comparison.after;
    if (!tags.includes(this.#tag)) this.#ownerless(thing, tags, undefined);
    else if (!sharedImages.some((known) => known.id === id || tags.includes(imageTag(known.id))))
      this.#tell('orphans', { ...thing, detail: 'it carries our tag, and no instance refers to it' });
  }

  /** A shared image that an instantiation in flight refers to may not be uploaded yet. */
  #missingShared(vimId: string, { id, name, tenant, vim, state, instances }: SharedImage, { images }: AuditVimOutput): void {
    if (tenant !== this.comparison.tenant || vim.vimId !== vimId || state !== 'SHARED') return;
    const [owner] = instances;
    if (owner === undefined || instances.some((instance) => this.busy.has(instance))) return;
    if (images.some((image) => image.id === id || image.tags.includes(imageTag(id)))) return;
    const detail = `the VIM has no such image with our tag, which ${instances.length} instances share`;
    this.#tell('missing', { vimId, type: 'image', id, name, detail }, owner);
  }

  /** A thing that no record has. Without our deployment's tag it may be another Windlass's, whatever its other tags say. */
  #ownerless(thing: Omit<AuditFinding, 'detail'>, tags: readonly string[], owner: string | undefined): void {
    if (owner !== undefined && tags.includes(this.#tag))
      this.#tell('orphans', { ...thing, detail: 'it carries our tag, and no instance has it' }, owner);
    else this.#tell('unclaimed', { ...thing, detail: 'it does not carry the tag of this Windlass' }, owner);
  }

  #missing(vimId: string, vnf: ExpectedVnf, { stacks, images }: AuditVimOutput): void {
    const { stack, resources, vnfInstanceId } = vnf;
    const listed = stack === null ? undefined : stacks.find((each) => isSame(stack, each));
    if (stack !== null && listed === undefined) {
      const thing = { vimId, type: 'stack', id: stack.id ?? '', name: stack.name } as const;
      this.#tell('missing', { ...thing, detail: 'the VIM has no such stack with our tag' }, vnfInstanceId);
    }
    const there = new Set(listed?.resources?.map(({ id }) => id));
    for (const { type, id, name } of listed?.resources === undefined ? [] : resources) {
      if (!there.has(id))
        this.#tell('missing', { vimId, type, id, name, detail: `the stack has no such ${type} any more` }, vnfInstanceId);
    }
    for (const id of vnf.images) {
      if (images.some((image) => image.id === id)) continue;
      this.#tell(
        'missing',
        { vimId, type: 'image', id, name: id, detail: 'the VIM has no such image with our tag' },
        vnfInstanceId,
      );
    }
  }

  #ownerOf(tags: readonly string[]): string | undefined {
    return tags.map(vnfOfTag).find((id) => id !== undefined);
  }

  #tell(kind: 'orphans' | 'missing' | 'foreign' | 'differences' | 'unclaimed', finding: AuditFinding, owner?: string): void {
    const key = `${kind} ${finding.type} ${finding.id}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.report[kind].push({ ...finding, ...(owner === undefined ? {} : { vnfInstanceId: owner }) });
  }
}

const isSame = (expected: { name: string; id?: string }, listed: { name: string; id: string }): boolean =>
  expected.id === undefined ? expected.name === listed.name : expected.id === listed.id;

/** For people: `Deployment default/web`. */
const objectName = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === null ? '' : `${namespace}/`}${name}`;
