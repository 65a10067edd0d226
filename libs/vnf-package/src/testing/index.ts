/** Packages, zips and signatures for tests. For tests only. */
export { csarOf, sha256, singleFileVnfd, smallestPackage, VNFD_ID, zipOf, type PackageFiles } from './package-factory.js';
export { kubernetesSkeleton } from './kubernetes-skeleton.js';
export {
  AUTHORITY,
  MANIFEST,
  manifestOf,
  packageWithManifest,
  SIGNS,
  SigningDesk,
  withSignature,
  type CertificateOptions,
  type SignOptions,
  type TestCertificate,
} from './signing-desk.js';
export { rawZip, type RawMember } from './raw-zip.js';
export { LEFT_OUT, TABLE, type LeftOut, type TranslationRow } from '../translate/table.js';
