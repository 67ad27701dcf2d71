import type { Fact, ProcessorEvent } from './facts.ts'

/** A fact, and when the event that reported it occurred. */
export type ReceivedFact = { fact: Fact; occurredAt: Date }

export const factsOf = ({
  facts,
  occurredAt,
}: Pick<ProcessorEvent, 'facts' | 'occurredAt'>): ReceivedFact[] =>
  facts.map((fact) => ({ fact, occurredAt }))

export const ofKind = <K extends Fact['kind']>(received: ReceivedFact[], kind: K) =>
  received.flatMap(({ fact, occurredAt }) =>
    fact.kind === kind ? [{ fact: fact as Extract<Fact, { kind: K }>, occurredAt }] : [],
  )

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
