import type { JsonObject } from '@windlass/foundation';
import type { InstantiatedState, Leftovers } from '@windlass/lifecycle';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'lcm', name: 'vnf_instance' })
export class VnfInstanceEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') tenant!: string;
  @Column('text', { name: 'vnf_instance_name', nullable: true }) vnfInstanceName!: string | null;
  @Column('text', { name: 'vnf_instance_description', nullable: true }) vnfInstanceDescription!: string | null;
  @Column('text', { name: 'vnfd_id' }) vnfdId!: string;
  @Column('uuid', { name: 'vnf_pkg_id' }) vnfPkgId!: string;
  @Column('text', { name: 'vnf_provider' }) vnfProvider!: string;
  @Column('text', { name: 'vnf_product_name' }) vnfProductName!: string;
  @Column('text', { name: 'vnf_software_version' }) vnfSoftwareVersion!: string;
  @Column('text', { name: 'vnfd_version' }) vnfdVersion!: string;
  @Column('text', { name: 'instantiation_state' }) instantiationState!: 'NOT_INSTANTIATED' | 'INSTANTIATED';
  @Column('jsonb', { nullable: true }) metadata!: JsonObject | null;
  /** Sealed. */
  @Column('bytea', { nullable: true }) properties!: Buffer | null;
  /** Sealed. */
  @Column('bytea', { name: 'vim_connection_info' }) vimConnectionInfo!: Buffer;
  @Column('jsonb', { nullable: true }) instantiated!: InstantiatedState | null;
  /** Sealed. */
  @Column('bytea', { nullable: true }) desired!: Buffer | null;
  /** Of a release before migration 11, which kept the request in the place of `desired`. Sealed; no release writes it any more. */
  @Column('bytea', { name: 'instantiate_request', nullable: true }) instantiateRequest!: Buffer | null;
  @Column('jsonb', { nullable: true }) leftovers!: Leftovers | null;
  @Column('int') version!: number;
}
