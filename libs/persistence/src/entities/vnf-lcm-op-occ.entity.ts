import type { ProblemDetails } from '@windlass/foundation';
import type { LcmOperation, OpDraft, OperationState } from '@windlass/lifecycle';
import type { ResourceChanges } from '@windlass/sol003';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'lcm', name: 'vnf_lcm_op_occ' })
export class VnfLcmOpOccEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') tenant!: string;
  @Column('uuid', { name: 'vnf_instance_id' }) vnfInstanceId!: string;
  @Column('text') operation!: LcmOperation;
  @Column('text', { name: 'operation_state' }) operationState!: OperationState;
  @Column('timestamptz', { name: 'state_entered_time' }) stateEnteredTime!: Date;
  @Column('timestamptz', { name: 'start_time' }) startTime!: Date;
  @Column('boolean', { name: 'is_automatic_invocation' }) isAutomaticInvocation!: boolean;
  /** Sealed. */
  @Column('bytea') request!: Buffer;
  @Column('boolean', { name: 'is_cancel_pending' }) isCancelPending!: boolean;
  @Column('text', { name: 'cancel_mode', nullable: true }) cancelMode!: 'GRACEFUL' | 'FORCEFUL' | null;
  @Column('jsonb', { nullable: true }) error!: ProblemDetails | null;
  @Column('jsonb', { name: 'resource_changes', nullable: true }) resourceChanges!: ResourceChanges | null;
  @Column('text', { name: 'grant_id', nullable: true }) grantId!: string | null;
  @Column('jsonb') warnings!: string[];
  @Column('jsonb') draft!: OpDraft;
}
