import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { LineFacts } from '../../../lib/rules/steps/steps.ts'
import type { EventRow } from '../../../lib/tracking/events/events.queries.ts'
import { productWords } from '../../../lib/tracking/events/explain.ts'

/** What each line earned, if the reward has rules. The only line of a sale has no number. */
const earnedByLine = ({ steps }: EventRow): Map<number, LineFacts> =>
  new Map(
    steps.flatMap((step) =>
      step.code === 'line_reward' ? [[step.facts.line ?? 1, step.facts]] : [],
    ),
  )

/** The lines of a sale, and what each earned. */
export const EventLines = ({ event }: { event: EventRow }) => {
  const { lines, currency } = event
  if (!lines) return null
  const earned = earnedByLine(event)
  return (
    <>
      <h2>{t(m.events_lines)}</h2>
      <Table
        caption={t(m.events_lines)}
        head={[
          t(m.events_line_product),
          { number: t(m.events_line_quantity) },
          { number: t(m.amount_column) },
          ...(earned.size > 0 ? [{ number: t(m.earned) }] : []),
        ]}
      >
        {lines.map((line, i) => {
          const facts = earned.get(i + 1)
          return (
            <tr>
              <td>{productWords(line.name, line.productId) ?? t(m.layout_none)}</td>
              <td class="number">{figure(BigInt(line.quantity))}</td>
              <td class="number">{money(line.amountCents, currency ?? '')}</td>
              {earned.size > 0 && (
                <td class="number">{facts && money(facts.earnedCents, facts.currency ?? '')}</td>
              )}
            </tr>
          )
        })}
      </Table>
    </>
  )
}
