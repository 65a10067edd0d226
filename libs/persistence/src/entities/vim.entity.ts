import type { JsonObject } from '@windlass/foundation';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'vim', name: 'vim' })
export class VimEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') tenant!: string;
  @Column('text') name!: string;
  @Column('text') description!: string;
  @Column('text') type!: 'openstack' | 'kubernetes';
  @Column('text', { name: 'auth_url' }) authUrl!: string;
  @Column('jsonb', { name: 'vim_project' }) vimProject!: JsonObject;
  /** Sealed. */
  @Column('bytea', { name: 'auth_cred' }) authCred!: Buffer;
  @Column('jsonb', { name: 'placement_attr' }) placementAttr!: { regions: string[] };
  @Column('boolean', { name: 'is_default' }) isDefault!: boolean;
  @Column('text') status!: string;
  /** Empty, but for what an older release wrote: see {@link extraSealed}. */
  @Column('jsonb') extra!: JsonObject;
  /** Sealed; null where only an older release has written it. */
  @Column('bytea', { name: 'extra_sealed', nullable: true }) extraSealed!: Buffer | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at', nullable: true }) updatedAt!: Date | null;
}
