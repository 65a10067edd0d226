/** What is used of a `.cpuprofile`, as V8 writes it. */
export interface CpuProfile {
  nodes: {
    id: number;
    /** Lines and columns from zero on, as V8 has them. */
    callFrame: { functionName: string; url: string; lineNumber?: number; columnNumber?: number };
    children?: number[];
  }[];
  /** The node that was on top at each look. */
  samples?: number[];
}
