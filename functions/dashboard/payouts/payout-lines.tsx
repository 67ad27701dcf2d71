import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { PartnerName } from '../../../lib/pages/tables/ledger.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import { SKIP_REASONS } from '../../../lib/payouts/balances/skip-reasons.ts'
import type { RunLimits } from '../../../lib/payouts/runs/limits.ts'
import { ExcludeBox } from '../runs/run-limits.tsx'

/** Lines per table. Sums cover all lines. */
export const MAX_LINES = 200

type Line = { partnerId: string; currency: string; amountCents: number }

type LinesProps = {
  base: string
  caption: string
  /** The excluded partners. Without it, none can be excluded. */
  limits?: RunLimits
  isReady?: boolean
  lines: (Line & { code?: string })[]
  names: Map<string, { name: string | null; slug: string }>
}

/** Balances with their partner and, if skipped, the reason. */
export const Lines = ({ base, caption, lines, names, limits, isReady = false }: LinesProps) => {
  const hasReasons = lines.some(({ code }) => code !== undefined)
  const canExclude = (code: string | undefined) =>
    isReady && (code === undefined || code === 'excluded')
  const hasBoxes = lines.some(({ code }) => canExclude(code))
  const rest = lines.length - MAX_LINES
  const nameOf = (id: string) => names.get(id)?.name ?? names.get(id)?.slug ?? id
  return (
    <>
      <Table
        caption={caption}
        head={[
          ...(hasBoxes ? [t(m.payouts_leave_out)] : []),
          t(m.partner),
          { number: t(m.amount_column) },
          ...(hasReasons ? [t(m.layout_reason)] : []),
        ]}
      >
        {lines.slice(0, MAX_LINES).map(({ partnerId, currency, amountCents, code }) => (
          <tr>
            {hasBoxes && (
              <td>
                {canExclude(code) && (
                  <ExcludeBox
                    partnerId={partnerId}
                    name={nameOf(partnerId)}
                    checked={limits?.excludePartnerIds.includes(partnerId) ?? false}
                  />
                )}
              </td>
            )}
            <td class="name">
              <PartnerName base={base} id={partnerId} name={null} slug={nameOf(partnerId)} />
            </td>
            <td class="number">{money(amountCents, currency)}</td>
            {code !== undefined && <td class="words">{noticeFor(SKIP_REASONS, code) ?? code}</td>}
          </tr>
        ))}
      </Table>
      {rest > 0 && <p>{t(m.payouts_and_more, { count: figure(rest) })}</p>}
    </>
  )
}
