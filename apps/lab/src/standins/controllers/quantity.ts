const UNITS: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** A Kubernetes quantity (`10Gi`, `500M`, `1e3`) as a number; 0 for what is none. */
export function quantityBytes(text: string): number {
  const match = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([kMGTP]i?|Ki|m)?$/.exec(text);
  return match === null ? 0 : Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0);
}
