/** One operation: what it is called in each place, and in which states of the instance it may start. */
interface OperationRow {
  /** The last part of the path of its task resource below an instance (SOL003 5.4). Absent: it is asked for by a PATCH of the instance. */
  readonly task?: string;
  /** The name of the link to that resource (SOL003 5.5.2.2). */
  readonly link?: string;
  /** Its name in VNFDs (SOL001 6.7), from which its hooks have theirs. Absent: VNFDs have no such operation. */
  readonly vnfd?: string;
  /** What the instance has to be for it to start. */
  readonly startsIn: readonly ('NOT_INSTANTIATED' | 'INSTANTIATED')[];
  /** The state in which its occurrence begins; STARTING where absent. */
  readonly initial?: 'PROCESSING';
  /** False: the standard has it, and Windlass does not. */
  readonly offered?: false;
  /** The major version of the API that brought it; 1 where absent. */
  readonly since?: 2;
}

/**
 * The lifecycle operations of SOL003 in the order of 5.5.4.5, a row each: the one list of them. Routes, links, states, hooks, what drivers are asked
 * about, what VNFDs may bind and what `vnf plan` takes are derived from it. What an operation does is a row in `OPERATIONS` of `@windlass/lifecycle`.
 */
const ROWS = {
  INSTANTIATE: { task: 'instantiate', link: 'instantiate', vnfd: 'instantiate', startsIn: ['NOT_INSTANTIATED'] },
  SCALE: { task: 'scale', link: 'scale', vnfd: 'scale', startsIn: ['INSTANTIATED'] },
  SCALE_TO_LEVEL: { task: 'scale_to_level', link: 'scaleToLevel', vnfd: 'scale_to_level', startsIn: ['INSTANTIATED'] },
  CHANGE_FLAVOUR: {
    task: 'change_flavour',
    link: 'changeFlavour',
    vnfd: 'change_flavour',
    startsIn: ['INSTANTIATED'],
    offered: false,
  },
  TERMINATE: { task: 'terminate', link: 'terminate', vnfd: 'terminate', startsIn: ['INSTANTIATED'] },
  HEAL: { task: 'heal', link: 'heal', vnfd: 'heal', startsIn: ['INSTANTIATED'] },
  OPERATE: { task: 'operate', link: 'operate', vnfd: 'operate', startsIn: ['INSTANTIATED'] },
  CHANGE_EXT_CONN: {
    task: 'change_ext_conn',
    link: 'changeExtConn',
    vnfd: 'change_external_connectivity',
    startsIn: ['INSTANTIATED'],
  },
  // It needs no grant.
  MODIFY_INFO: { vnfd: 'modify_information', startsIn: ['NOT_INSTANTIATED', 'INSTANTIATED'], initial: 'PROCESSING' },
  CHANGE_VNFPKG: {
    task: 'change_vnfpkg',
    link: 'changeCurrentVnfPkg',
    startsIn: ['INSTANTIATED'],
    offered: false,
    since: 2,
  },
} as const satisfies Record<string, OperationRow>;

type Rows = typeof ROWS;
/** The operations whose rows have these members. */
type With<Members> = { [Operation in keyof Rows]: Rows[Operation] extends Members ? Operation : never }[keyof Rows];

/** One of {@link LCM_OPERATION_TYPES_V2}. */
export type LcmOperationTypeV2 = keyof Rows;
/** One of {@link LCM_OPERATION_TYPES}. */
export type LcmOperationType = Exclude<keyof Rows, With<{ since: 2 }>>;
/** One of {@link OFFERED_OPERATIONS}. */
export type OfferedOperation = Exclude<keyof Rows, With<{ offered: false }>>;
/** The name in VNFDs of one that Windlass has: `change_external_connectivity`. */
export type VnfdOperation = Rows[OfferedOperation]['vnfd'];
/** Links of an instance to the task resources of 2.6.1. */
export type TaskLink = Rows[LcmOperationType & With<{ link: string }>]['link'];

/** A task resource of an instance (SOL003 5.4): the name of its link, and the last part of its path, such as `changeExtConn` at `change_ext_conn`. */
export interface InstanceTask {
  link: TaskLink;
  task: string;
}

const rowOf = (operation: LcmOperationTypeV2): OperationRow => ROWS[operation];

/** Lifecycle operations of `/vnflcm/v2` (SOL003 3.3.1). */
export const LCM_OPERATION_TYPES_V2 = Object.keys(ROWS) as LcmOperationTypeV2[];

/** Lifecycle operations of SOL003 2.6.1 (5.5.4.5). */
export const LCM_OPERATION_TYPES = LCM_OPERATION_TYPES_V2.filter(
  (operation): operation is LcmOperationType => rowOf(operation).since === undefined,
);

/** Those that Windlass has. */
export const OFFERED_OPERATIONS = LCM_OPERATION_TYPES_V2.filter(
  (operation): operation is OfferedOperation => rowOf(operation).offered !== false,
);

/** What VNFDs may bind scripts and drivers to, whether Windlass has it or not. */
export const VNFD_OPERATIONS: readonly string[] = LCM_OPERATION_TYPES_V2.flatMap((operation) => rowOf(operation).vnfd ?? []);

/** What VNFDs call it. */
export const vnfdOperationOf = (operation: OfferedOperation): VnfdOperation => ROWS[operation].vnfd;

/** The task resource that it is asked for at; undefined for the one that a PATCH of the instance asks for. */
export const taskOf = (operation: LcmOperationType): InstanceTask | undefined => {
  const row = ROWS[operation];
  return 'task' in row ? { task: row.task, link: row.link } : undefined;
};

/** In which states of the instance it may start, and the state that its occurrence begins in. */
export const statesOf = (
  operation: LcmOperationTypeV2,
): Required<Pick<OperationRow, 'startsIn'>> & { initial: 'STARTING' | 'PROCESSING' } => {
  const { startsIn, initial = 'STARTING' } = rowOf(operation);
  return { startsIn, initial };
};
