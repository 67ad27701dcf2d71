/** The time, and waiting: a run's, which tests replace. */
export type Clock = { now: () => number; sleep: (seconds: number) => Promise<void> }
