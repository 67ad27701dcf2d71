/** The limits of a payout run, in the preview's form and in the button that starts the run. */

import type { Context } from 'hono'
import type * as z from 'zod'
import { type Checked, checked, type Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { Field } from '../../../lib/pages/forms/fields.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { RunResultResponse } from '../../../lib/payouts/payouts.responses.ts'
import { PayoutRun } from '../../../lib/payouts/payouts.schemas.ts'
import type { PayoutMethod } from '../../../lib/payouts/payouts.ts'
import { hasLimits, type RunLimits } from '../../../lib/payouts/runs/limits.ts'
import { exactMoney, parseMoney } from '../../../lib/values/money.ts'

export type RunInput = z.output<typeof PayoutRun>

/** The form of the checkboxes in the preview's tables. */
const FORM = 'limits'

/** The field of a currency's maximum: max-USD. */
const MAXIMUM = /^max-([A-Z]{3})$/

/** The maximums in the URL. An invalid amount is NaN, which the schema rejects. */
const maximumsIn = (query: Record<string, string>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, text]) => {
      const [, currency] = MAXIMUM.exec(name) ?? []
      if (!currency || text.trim() === '') return []
      return [[currency, parseMoney(text.trim().replaceAll(',', ''), currency) ?? Number.NaN]]
    }),
  )

/** The run in the preview's URL. */
export const readPreview = (c: Context): Checked<RunInput> => {
  const { method, programId, commissions } = c.req.query()
  const ids = commissions?.split(/[\s,;]+/).filter(Boolean) ?? []
  return checked(PayoutRun, {
    method: method || undefined,
    programId: programId || undefined,
    excludePartnerIds: c.req.queries('exclude') ?? [],
    excludeCommissionIds: ids,
    maxAmountCents: maximumsIn(c.req.query()),
  })
}

/**
 * The run that the button starts: the preview as JSON. Other forms have only a method and a
 * program.
 */
export const readRun = ({ method, programId, preview }: Fields): Checked<RunInput> => {
  let previewed: unknown
  try {
    previewed = JSON.parse(preview ?? '{}')
  } catch {
    return { errors: [{ path: 'preview', message: inEnglish(m.payouts_preview_cannot_read) }] }
  }
  return checked(PayoutRun, { ...(previewed as object), method, programId })
}

/** The value of the button: the run pays what is shown, and no more. */
export const previewJson = (
  { previewedAt, totals }: RunResultResponse,
  limits: RunLimits,
): string =>
  JSON.stringify({ ...limits, previewedAt: previewedAt ?? limits.previewedAt, expected: totals })

type ExcludeBoxProps = { partnerId: string; name: string; checked: boolean }

/** Excludes a partner from the run, or includes it again. */
export const ExcludeBox = ({ partnerId, name, checked }: ExcludeBoxProps) => (
  <input
    type="checkbox"
    name="exclude"
    value={partnerId}
    form={FORM}
    checked={checked}
    aria-label={t(m.payouts_leave_out_partner, { name })}
  />
)

type Props = {
  action: string
  method: PayoutMethod
  programId: string | null
  limits: RunLimits
  currencies: string[]
}

/** The form that previews the run with other limits. */
export const LimitsForm = ({ action, method, programId, limits, currencies }: Props) => {
  const { excludeCommissionIds, maxAmountCents } = limits
  const all = [...new Set([...currencies, ...Object.keys(maxAmountCents)])].sort()
  return (
    <details class="card" open={hasLimits(limits)}>
      <summary>{t(m.payouts_limit_run)}</summary>
      <form id={FORM} method="get" action={action}>
        <input type="hidden" name="method" value={method} />
        {programId && <input type="hidden" name="programId" value={programId} />}
        <p>{t(m.payouts_leave_out_partners)}</p>
        {all.map((currency) => (
          <Field
            label={t(m.payouts_maximum_in, { currency })}
            name={`max-${currency}`}
            hint={t(m.payouts_run_pays_no)}
            inputmode="decimal"
            autocomplete="off"
            value={
              maxAmountCents[currency] === undefined
                ? ''
                : exactMoney(maxAmountCents[currency], currency)
            }
          />
        ))}
        <Field
          label={t(m.payouts_commissions_leave_out)}
          name="commissions"
          hint={t(m.payouts_ids_separated_spaces)}
          autocomplete="off"
          spellcheck="false"
          value={excludeCommissionIds.join(' ')}
        />
        <p>
          <QuietButton>{t(m.payouts_update_preview)}</QuietButton>
        </p>
      </form>
    </details>
  )
}
