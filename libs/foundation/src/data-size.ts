/** An amount of data in bytes. Made by {@link bytes} alone, so that a bare number is never taken for one. */
export type Bytes = number & { readonly __size: 'B' };
/** What Nova counts memory in, and Glance `min_ram`. Made by {@link wholeMebibytes} or {@link mebibytes}. */
export type Mebibytes = number & { readonly __size: 'MiB' };
/** What Nova and Cinder count disks in, and Glance `min_disk`; each calls it GB. Made by {@link wholeGibibytes} or {@link gibibytes}. */
export type Gibibytes = number & { readonly __size: 'GiB' };

export const bytes = (n: number): Bytes => n as Bytes;
export const mebibytes = (n: number): Mebibytes => n as Mebibytes;
export const gibibytes = (n: number): Gibibytes => n as Gibibytes;

/** As many MiB as that many bytes need: 512 MB are 489. */
export const wholeMebibytes = (size: Bytes): Mebibytes => mebibytes(Math.ceil(size / 2 ** 20));

/** As many GiB as that many bytes need: 2 GB are 2. */
export const wholeGibibytes = (size: Bytes): Gibibytes => gibibytes(Math.ceil(size / 2 ** 30));
