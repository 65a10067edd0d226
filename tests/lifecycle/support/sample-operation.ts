import { RequestError, TerminalError } from '@windlass/foundation';
import {
  asksNothing,
  defineInlineAction,
  defineOperation,
  predictUnchanged,
  grantAction,
  inlineAction,
  inlineStep,
  grantInline,
  OperationTable,
  OPERATIONS,
  operationSaga,
  PROCESSING,
  type FailedOperation,
} from '@windlass/lifecycle';
import { ChangeExtVnfConnectivityRequestBody } from '@windlass/sol003';

/** A link that the sample refuses before its 202, and one that makes its work fail. */
export const REFUSED_LINK = 'refused';
export const FAILING_LINK = 'failing';

const noteLinkAction = defineInlineAction('note-link');

/** The definition of an operation, as an operation's folder exports it. This one writes the link's name into the instance's metadata. */
export const sampleOperation = defineOperation<ChangeExtVnfConnectivityRequestBody>({
  ...operationSaga('CHANGE_EXT_CONN', (saga) =>
    saga
      .step(() => inlineStep(grantAction, {}))
      .becomes(PROCESSING)
      .hook('change_external_connectivity', 'start')
      .step(() => inlineStep(noteLinkAction, {})),
  ),
  body: ChangeExtVnfConnectivityRequestBody,
  usesVim: true,
  makesVms: false,
  grant: asksNothing,

  checkBeforeDrivers: ({ request }) => {
    const [{ id } = { id: '' }] = request.extVirtualLinks;
    const path = '/extVirtualLinks/0/id';
    const reason = `the VNF has no link ${id}`;
    if (id === REFUSED_LINK)
      throw new RequestError(400, 'request.invalid', `${path}: ${reason}`, { invalidParams: [{ path, reason }] });
    return request;
  },
  checkAfterDrivers: ({ request }) => [`links: ${request.extVirtualLinks.length}`],

  predictDrafts: predictUnchanged,
  inline: {
    ...grantInline,
    ...inlineAction(noteLinkAction, async ({ tx, store, context: { opOcc, instance } }) => {
      const [link] = opOcc.request.extVirtualLinks as { id: string }[];
      if (link?.id === FAILING_LINK) throw new TerminalError('link.failing', 'the link does not answer');
      await store.saveInstance(tx.handle, { ...instance, metadata: { network: link?.id ?? '' } });
      return undefined;
    }),
  },
  afterFail: async ({ store, tx, opOcc }: FailedOperation) => {
    const instance = await store.instance(tx.handle, opOcc.vnfInstanceId);
    await store.saveInstance(tx.handle, { ...instance, metadata: { left: opOcc.operation } });
  },
});

const others = OPERATIONS.all.filter(({ operation }) => operation !== sampleOperation.operation);

/** The table of operations without the row that the sample takes, and with the sample in its place. */
export const withoutSample = new OperationTable(others);
export const withSample = new OperationTable([...others, sampleOperation]);

/** A request for the sample. */
export const linkRequest = (id: string) => ({
  extVirtualLinks: [{ id, resourceId: 'net0', extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ linkPortId: 'p' }] }] }],
});
