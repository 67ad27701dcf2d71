/**
 * Matches expected sales with a processor's: by customer or click, currency, and gross or net
 * amount. Each of a processor's sales matches one expected sale. A match earns nothing: it shows
 * managers which sales are missing.
 */
import type { Step } from '../steps/steps.ts'
import type { ComparedSale, HoldFacts } from './hold-facts.ts'

const isOnlyReported = ({ isReported, kinds }: ComparedSale): boolean =>
  isReported && kinds.every((kind) => kind === 'report')

/** The steps of the expected sale, once the processor's is received; null if none is. */
export const matchExpected = (
  saved: ComparedSale,
  { sales, expected, received }: HoldFacts,
): { eventId: string; steps: Step[] } | null => {
  for (const other of sales.filter(({ id }) => expected.includes(id))) {
    const [report, processed] = saved.isReported ? [saved, other] : [other, saved]
    const { amountCents } = report
    if (
      isOnlyReported(report) &&
      amountCents !== null &&
      processed.amounts.includes(amountCents) &&
      !received.includes(processed.externalId)
    ) {
      const { externalId } = processed
      const step: Step = { code: 'expected_sale_received', facts: { externalId } }
      return { eventId: report.id, steps: [...report.steps, step] }
    }
  }
  return null
}
