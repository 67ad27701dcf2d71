import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { LinkCell, Table } from '../../../lib/pages/tables/table.tsx'
import { type Outcome, REASONS } from '../../../lib/shadow/comparison/compare.ts'
import type {
  ComparisonRow,
  DaySum,
  OutcomeSum,
} from '../../../lib/shadow/comparison/results.queries.ts'

export const OUTCOME_WORDS: Record<Outcome, Message> = {
  same: m.shadow_same,
  different: m.shadow_different,
  only_here: m.shadow_only_here,
  only_there: m.shadow_only_there,
}

/** The sums of each result. */
export const Sums = ({ sums }: { sums: OutcomeSum[] }) => (
  <Table
    caption={t(m.shadow_sums)}
    head={[
      t(m.result_column),
      { number: t(m.sales) },
      { number: t(m.shadow_here) },
      { number: t(m.shadow_there) },
    ]}
  >
    {sums.map(({ outcome, currency, sales, hereCents, thereCents }) => (
      <tr>
        <td>{t(OUTCOME_WORDS[outcome])}</td>
        <td class="number">{figure(sales)}</td>
        <td class="number">{money(hereCents, currency)}</td>
        <td class="number">{money(thereCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

/** The sums by day, each with a link to its sales. */
export const Days = ({ path, days }: { path: string; days: DaySum[] }) => (
  <Table
    caption={t(m.shadow_days)}
    head={[
      t(m.layout_day),
      { number: t(m.sales) },
      { number: t(m.shadow_differences) },
      { number: t(m.shadow_here) },
      { number: t(m.shadow_there) },
    ]}
  >
    {days.map(({ day, currency, sales, differences, hereCents, thereCents }) => (
      <tr>
        <LinkCell href={`${path}?from=${day}&to=${day}`}>{day}</LinkCell>
        <td class="number">{figure(sales)}</td>
        <td class="number">{figure(differences)}</td>
        <td class="number">{money(hereCents, currency)}</td>
        <td class="number">{money(thereCents, currency)}</td>
      </tr>
    ))}
  </Table>
)

const amount = (cents: bigint | null, currency: string | null) =>
  cents === null || currency === null ? t(m.layout_none) : money(cents, currency)

/** The sales, each with both amounts and the likely reason of a difference. */
export const Rows = ({ base, rows }: { base: string; rows: ComparisonRow[] }) => (
  <Table
    caption={t(m.sales)}
    head={[
      t(m.layout_day),
      t(m.kind_sale),
      t(m.partner),
      t(m.result_column),
      { number: t(m.shadow_here) },
      { number: t(m.shadow_there) },
      t(m.shadow_likely_reason),
    ]}
  >
    {rows.map((row) => (
      <tr>
        <td>{row.day}</td>
        <td class="id">
          {row.eventId ? (
            <a href={`${base}/events/${row.eventId}`} data-panel>
              {row.saleExternalId}
            </a>
          ) : (
            (row.thereSaleIds?.[0] ?? row.thereKey)
          )}
        </td>
        <td>{row.partnerEmail ?? row.therePartnerEmail}</td>
        <td>{t(OUTCOME_WORDS[row.outcome])}</td>
        <td class="number">{amount(row.hereCents, row.hereCurrency)}</td>
        <td class="number">{amount(row.thereCents, row.thereCurrency)}</td>
        <td class="words">
          {row.reason && REASONS[row.reason]}{' '}
          {row.reason === 'other_partner' &&
            t(m.shadow_partner_there, { partner: row.therePartnerEmail ?? '' })}
        </td>
      </tr>
    ))}
  </Table>
)
