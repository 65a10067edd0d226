import type { JsonObject, ProblemDetails } from '@windlass/foundation';
import type { PackageFile } from '@windlass/mgmt-driver';
import type { VnfPackageModel } from '@windlass/vnf-package';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export type OnboardingState = 'CREATED' | 'UPLOADING' | 'PROCESSING' | 'ONBOARDED';

@Entity({ schema: 'package', name: 'vnf_package' })
export class VnfPackageEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') tenant!: string;
  @Column('text', { name: 'onboarding_state' }) onboardingState!: OnboardingState;
  @Column('text', { name: 'operational_state' }) operationalState!: 'ENABLED' | 'DISABLED';
  @Column('jsonb', { name: 'user_defined_data' }) userDefinedData!: JsonObject;
  @Column('text', { name: 'vnfd_id', nullable: true }) vnfdId!: string | null;
  @Column('jsonb', { nullable: true }) checksum!: { algorithm: string; hash: string } | null;
  /** Bytes of the archive. PostgreSQL's bigint comes as text. */
  @Column('bigint', { nullable: true }) size!: string | null;
  @Column('jsonb', { nullable: true }) model!: VnfPackageModel | null;
  @Column('jsonb', { nullable: true }) files!: PackageFile[] | null;
  @Column('jsonb', { name: 'additional_artifacts', nullable: true }) additionalArtifacts!: JsonObject[] | null;
  @Column('jsonb') warnings!: string[];
  /** Why the last upload did not end ONBOARDED. */
  @Column('jsonb', { nullable: true }) failure!: ProblemDetails | null;
  /** Which upload the chunks belong to; another one after each try. */
  @Column('int', { name: 'upload_epoch' }) uploadEpoch!: number;
  /** The last sign of life of the process that uploads or onboards it. */
  @Column('timestamptz', { name: 'upload_seen_at', nullable: true }) uploadSeenAt!: Date | null;
  /** How often its content was begun to be processed; a try that was stopped in good order is taken back. */
  @Column('int', { name: 'processing_tries' }) processingTries!: number;
  /** While its content is fetched from a URI: from where, with which credentials. Sealed. */
  @Column('bytea', { name: 'upload_source', nullable: true }) uploadSource!: Buffer | null;
  /** Until when that is tried. */
  @Column('timestamptz', { name: 'upload_until', nullable: true }) uploadUntil!: Date | null;
  /** How many bytes an upload on its way has room for, where a project has so much and no more; text, as `size`. */
  @Column('bigint', { name: 'upload_bytes', nullable: true }) uploadBytes!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
}
