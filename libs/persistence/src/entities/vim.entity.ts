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
  @Column('jsonb') extra!: JsonObject;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at', nullable: true }) updatedAt!: Date | null;
}
