import { RequestError, type JsonObject, type ProblemDetails, isUuid } from '@windlass/foundation';
import { rowsOf } from '@windlass/persistence';
import { type Checksum, type VnfPkgInfo } from '@windlass/sol003';
import type { DataSource } from 'typeorm';
import type { PackageView } from '../rendering/rendering.js';

type Images = NonNullable<VnfPkgInfo['softwareImages']>;

/** What is read of a package to show it: its model has far more. */
interface ShownRow {
  id: string;
  onboardingState: VnfPkgInfo['onboardingState'];
  operationalState: VnfPkgInfo['operationalState'];
  inUse: boolean;
  userDefinedData: JsonObject;
  checksum: Checksum | null;
  failure: ProblemDetails | null;
  warnings: string[];
  createdAt: Date;
  vnfdId: string | null;
  provider: string | null;
  productName: string | null;
  softwareVersion: string | null;
  descriptorVersion: string | null;
  softwareImages: Omit<Images[number], 'createdAt'>[] | null;
  additionalArtifacts: VnfPkgInfo['additionalArtifacts'] | null;
}

/**
 * A package is in use when an instance was made from it, whatever the instance's state. The subquery asks the index for one row: with EXISTS,
 * PostgreSQL would build a table of all instances.
 */
const SHOWN = `
  SELECT p.id, p.onboarding_state AS "onboardingState", p.operational_state AS "operationalState",
    coalesce((SELECT true FROM lcm.vnf_instance AS i WHERE i.vnf_pkg_id = p.id LIMIT 1), false) AS "inUse",
    p.user_defined_data AS "userDefinedData", p.checksum, p.failure, p.warnings, p.created_at AS "createdAt",
    p.model->>'vnfdId' AS "vnfdId", p.model->>'provider' AS provider, p.model->>'productName' AS "productName",
    p.model->>'softwareVersion' AS "softwareVersion", p.model->>'descriptorVersion' AS "descriptorVersion",
    p.model->'softwareImages' AS "softwareImages", p.model->'additionalArtifacts' AS "additionalArtifacts"
  FROM package.vnf_package AS p`;

/** Packages of a project as they are shown (SOL005 9.5.2.5), each list with one statement. */
export class PackageViews {
  constructor(private readonly database: DataSource) {}

  /** @throws RequestError 404, also for another project's */
  async one(tenant: string, id: string): Promise<PackageView> {
    const rows = isUuid(id)
      ? await rowsOf<ShownRow>(this.database.manager, `${SHOWN} WHERE p.id = $1 AND p.tenant = $2`, [id, tenant])
      : [];
    const [row] = rows;
    if (row === undefined) throw unknownPackage(id);
    return viewOf(row);
  }

  /**
   * A page in the order of ids, after the marker. @param onboarded whether only ONBOARDED packages are shown
   * @throws RequestError 400 for a marker that is not one of ours
   */
  async page(tenant: string, after: string | undefined, limit: number | undefined, onboarded: boolean): Promise<PackageView[]> {
    if (after !== undefined && !isUuid(after)) {
      const [path, reason] = ['nextpage_opaque_marker', 'expected the marker of a Link header'];
      throw new RequestError(400, 'query.invalid-parameter', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
    }
    const rows = await rowsOf<ShownRow>(
      this.database.manager,
      `${SHOWN} WHERE p.tenant = $1 AND ($2::uuid IS NULL OR p.id > $2) AND (NOT $4 OR p.onboarding_state = 'ONBOARDED') ORDER BY p.id LIMIT $3`,
      [tenant, after ?? null, limit ?? null, onboarded],
    );
    return rows.map(viewOf);
  }
}

/** The answer to a package that is not there, or is another project's. */
export const unknownPackage = (id: string): RequestError =>
  new RequestError(404, 'vnf-package.unknown', `there is no VNF package ${id}`);

/** What of a package is shown, with the failure of its last upload (`onboardingFailureDetails` of SOL005 3.3.1). */
function viewOf(row: ShownRow): PackageView {
  const { vnfdId, provider, productName, softwareVersion, descriptorVersion, softwareImages, additionalArtifacts } = row;
  return {
    id: row.id,
    onboardingState: row.onboardingState,
    operationalState: row.operationalState,
    usageState: row.inUse ? 'IN_USE' : 'NOT_IN_USE',
    userDefinedData: row.userDefinedData,
    ...(row.checksum === null ? {} : { checksum: asEtsi(row.checksum) }),
    ...(row.failure === null ? {} : { onboardingFailureDetails: row.failure }),
    ...(row.warnings.length === 0 ? {} : { windlassWarnings: row.warnings }),
    ...(vnfdId === null ? {} : { vnfdId }),
    ...(provider === null ? {} : { vnfProvider: provider }),
    ...(productName === null ? {} : { vnfProductName: productName }),
    ...(softwareVersion === null ? {} : { vnfSoftwareVersion: softwareVersion }),
    ...(descriptorVersion === null ? {} : { vnfdVersion: descriptorVersion }),
    ...(softwareImages === null
      ? {}
      : {
          softwareImages: softwareImages.map((image) => ({
            ...image,
            checksum: asEtsi(image.checksum),
            createdAt: row.createdAt.toISOString(),
          })),
        }),
    ...(additionalArtifacts == null
      ? {}
      : { additionalArtifacts: additionalArtifacts.map((each) => ({ ...each, checksum: asEtsi(each.checksum) })) }),
  };
}

/** `sha-512`, `SHA512`: packages spell algorithms as they like; SOL004 has `SHA-512`. */
const asEtsi = ({ algorithm, hash }: Checksum): Checksum => ({
  algorithm: algorithm.replace(/^sha-?(224|256|384|512)$/i, 'SHA-$1'),
  hash,
});
