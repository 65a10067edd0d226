import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { RequestError } from '@windlass/foundation';
import { modifySnapshots, SNAPSHOTS_MEMBER, SNAPSHOTS_TASKS } from '@windlass/lifecycle';
import { PgClusterSnapshots, PgSnapshotSchedule, type ClusterSnapshotRecord, type SnapshotAttempt } from '@windlass/persistence';
import type { Response } from 'express';
import { Readable } from 'node:stream';
import { jsonBody } from '../http/answers.js';
import { identityOf, type IdentifiedRequest } from '../caller/identity.js';
import { sendStream } from '../http/send-stream.js';
import { taskIn, taskSchema } from '../instances/cluster-task.js';
import { VnfInstances } from '../instances/vnf-instances.js';
import { Rendering } from '../rendering/rendering.js';
import { anObject, listOf } from '../routes/json-schemas.js';
import { ApiRoute } from '../routes/route.js';
import { RequestTrail } from '../trail/request-trail.js';

/** Not by Express' set, which adds a charset to it. */
const ARCHIVE = 'application/gzip';

/** Of the schedule's attempts that are shown. */
const MOST_ATTEMPTS = 20;

/** A kept snapshot, as it is listed: nothing of what is in it. */
type SnapshotView = Omit<ClusterSnapshotRecord, 'vnfInstanceId'>;

/** Windlass's own: snapshots of the control plane of a cluster that a VNF instance has deployed (docs/contracts/rest-extensions.md). */
@Controller('windlass/v1/vnf_instances')
export class SnapshotsController {
  constructor(
    private readonly instances: VnfInstances,
    private readonly snapshots: PgClusterSnapshots,
    private readonly schedule: PgSnapshotSchedule,
    private readonly trail: RequestTrail,
    private readonly rendering: Rendering,
  ) {}

  /** The newest first. */
  @Get(':id/snapshots')
  @ApiRoute({
    summary: 'snapshots of the control plane of the cluster that a VNF instance has deployed',
    role: 'reader',
    answers: { 200: { schema: listOf(anObject('id', 'takenAt', 'operationId', 'master', 'size', 'sha256')) } },
  })
  async list(@Req() request: IdentifiedRequest): Promise<SnapshotView[]> {
    const found = await this.#of(request);
    return found.map(({ id, takenAt, operationId, master, size, sha256 }) => ({
      id,
      takenAt,
      operationId,
      master,
      size,
      sha256,
    }));
  }

  /** The newest first. */
  @Get(':id/snapshot_attempts')
  @ApiRoute({
    summary: 'what the schedule has tried of the snapshots of a VNF instance’s cluster, and why not',
    role: 'reader',
    answers: { 200: { schema: listOf(anObject('id', 'begunAt', 'state')) } },
  })
  async attempts(@Req() request: IdentifiedRequest): Promise<SnapshotAttempt[]> {
    const { id } = await this.instances.find(identityOf(request).tenant, String(request.params.id));
    return this.schedule.attempts(id, MOST_ATTEMPTS);
  }

  @Post(':id/snapshots')
  @HttpCode(202)
  @ApiRoute({
    summary: 'take a snapshot of the control plane of the cluster that a VNF instance has deployed',
    role: 'operator',
    body: { schema: taskSchema(SNAPSHOTS_TASKS) },
    answers: { 202: { headers: ['Location'] } },
    refusals: [409],
  })
  async ask(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const { tenant } = identityOf(request);
    const body = { [SNAPSHOTS_MEMBER]: taskIn(jsonBody(request), SNAPSHOTS_TASKS) };
    const opOccId = await this.instances.operate(tenant, String(request.params.id), modifySnapshots, body);
    response.set('Location', this.rendering.opOccUrl(opOccId)).end();
  }

  /** A POST, since the audit trail tells who took it, and does so before the first byte leaves. */
  @Post(':id/snapshots/:snapshotId/archive')
  @HttpCode(200)
  @ApiRoute({
    summary: 'a snapshot of a cluster’s control plane, with all of the cluster’s keys and Secrets',
    role: 'admin',
    answers: { 200: { mediaTypes: [ARCHIVE] } },
  })
  async take(@Req() request: IdentifiedRequest, @Res() response: Response): Promise<void> {
    const snapshotId = String(request.params.snapshotId);
    const snapshot = (await this.#of(request)).find(({ id }) => id === snapshotId);
    if (snapshot === undefined)
      throw new RequestError(
        404,
        'snapshot.unknown',
        `VNF instance ${String(request.params.id)} has no snapshot ${snapshotId}: GET its snapshots lists those that are kept`,
      );
    const parts = this.snapshots.read(snapshot);
    // Opened, before anything is said of it: one whose master key is missing is an error as any.
    const first = await parts.next();
    const { vnfInstanceId } = snapshot;
    await this.trail.withChange((manager) => this.trail.note(manager, { operation: 'SNAPSHOT', vnfInstanceId }));
    response.set('Content-Length', String(snapshot.size));
    await sendStream(
      Readable.from(
        (async function* () {
          if (first.done !== true) yield first.value;
          yield* parts;
        })(),
      ),
      response.setHeader('Content-Type', ARCHIVE),
    );
  }

  async #of(request: IdentifiedRequest): Promise<ClusterSnapshotRecord[]> {
    const { id } = await this.instances.find(identityOf(request).tenant, String(request.params.id));
    return this.snapshots.list(id);
  }
}
