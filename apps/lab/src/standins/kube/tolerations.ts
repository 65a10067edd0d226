import type { KubeNode, NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Taint, Toleration } from './kinds.js';

/** Whether a toleration covers a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') === '') return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}

/** The taints that keep a pod off a node. */
export const repellingTaints = (node: KubeNode, tolerations: readonly Toleration[], effects: readonly string[]): Taint[] =>
  (node.spec?.taints ?? []).filter(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );

/** Whether a node has the labels that a pod's nodeSelector and required node affinity ask for. */
export function fitsNodeLabels(spec: PodSpec, node: KubeNode): boolean {
  const labels = node.metadata.labels ?? {};
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return selected && (terms === undefined || terms.some((term) => termHolds(term, node)));
}

function termHolds(term: NodeSelectorTerm, node: KubeNode): boolean {
  const labels = node.metadata.labels ?? {};
  const fields: Record<string, string> = { 'metadata.name': node.metadata.name };
  return (
    (term.matchExpressions ?? []).every((requirement) => requirementHolds(requirement, labels)) &&
    (term.matchFields ?? []).every((requirement) => requirementHolds(requirement, fields))
  );
}

function requirementHolds({ key, operator, values = [] }: NodeSelectorRequirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (value === undefined) return false;
  if (operator === 'In') return values.includes(value);
  const limit = Number(values[0]);
  return operator === 'Gt' ? Number(value) > limit : Number(value) < limit;
}
