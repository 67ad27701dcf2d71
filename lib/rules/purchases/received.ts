/** The facts received of a purchase. */
import type { Fact, ProcessorEvent } from './facts.ts'

/** A fact, and when the event that reported it occurred. */
export type ReceivedFact = { fact: Fact; at: Date }

export const factsOf = ({
  facts,
  occurredAt,
}: Pick<ProcessorEvent, 'facts' | 'occurredAt'>): ReceivedFact[] =>
  facts.map((fact) => ({ fact, at: occurredAt }))

export const ofKind = <K extends Fact['kind']>(received: ReceivedFact[], kind: K) =>
  received.flatMap(({ fact, at }) =>
    fact.kind === kind ? [{ fact: fact as Extract<Fact, { kind: K }>, at }] : [],
  )

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
