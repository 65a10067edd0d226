import { seconds } from '@windlass/foundation';

/** How often a proxy in the way answers with a page of its own: indexes first, then packages. */
const PAGES = { index: 2, package: 2 };
/** A refused image is refused this often: kubeadm asks five times at once before it gives up, so its first attempt fails. */
const REFUSALS = 5;
/** And no longer than this: a kubelet asks again after 10, 20, 40, 80 and 160 s, and would take five minutes to be refused as often. */
const REFUSED_FOR = seconds(20);
/** Every so manyth image that a node asks for. */
const EVERY = 3;

/** What goes wrong around a VM of a `hostile` image: the same for each, in the order in which it asks. */
export class Hostility {
  #pages = { ...PAGES };
  readonly #asked: string[] = [];
  readonly #refusals = new Map<string, { count: number; since: number }>();

  /** @param now milliseconds on a clock that does not jump */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether the proxy answers this download with a page of HTML instead. */
  interceptsDownload(path: string): boolean {
    const kind = path.endsWith('.deb') ? 'package' : 'index';
    if (this.#pages[kind] === 0) return false;
    this.#pages[kind]--;
    return true;
  }

  /** Whether the registry refuses this image this time. */
  refusesImage(image: string): boolean {
    if (!this.#asked.includes(image)) this.#asked.push(image);
    if ((this.#asked.indexOf(image) + 1) % EVERY !== 0) return false;
    const refused = this.#refusals.get(image) ?? { count: 0, since: this.now() };
    this.#refusals.set(image, { ...refused, count: refused.count + 1 });
    return refused.count < REFUSALS && this.now() - refused.since < REFUSED_FOR;
  }
}
