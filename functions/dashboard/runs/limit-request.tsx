/** A requested higher limit of payout runs that waits for another manager. */

import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { strong } from '../../../lib/pages/parts/tags.tsx'
import {
  LIMIT_REFUSALS,
  type LimitRefusal,
  type LimitRequest,
} from '../../../lib/tenancy/settings/approval-limit.ts'
import { exactMoney } from '../../../lib/values/money.ts'

/** Has two decimals, as most currencies: the sum applies to the minor units of every currency. */
export const SUM_CURRENCY = 'USD'

type Props = {
  base: string
  request: LimitRequest
  /** Why the reader may not approve it; null if the reader may. */
  refusal: LimitRefusal | null
}

/** The request, and the buttons that decide. */
export const LimitRequestCard = ({ base, request, refusal }: Props) => {
  const { id, approvalAboveCents, requestedBy, requestedAt } = request
  const path = `${base}/settings/limit-requests/${id}`
  const limit =
    approvalAboveCents === null
      ? t(m.settings_limit_none)
      : exactMoney(approvalAboveCents, SUM_CURRENCY)
  return (
    <section class="card">
      <h2>{t(m.settings_limit_request)}</h2>
      <p>
        {t(m.settings_limit_requested, {
          requestedBy,
          limit,
          day: () => <Time at={requestedAt} />,
          strong,
        })}
      </p>
      {refusal && <p>{LIMIT_REFUSALS[refusal]}</p>}
      <div class="actions">
        {!refusal && (
          <form method="post" action={`${path}/approve`}>
            <button type="submit">{t(m.settings_limit_approve)}</button>
          </form>
        )}
        <form method="post" action={`${path}/decline`}>
          <DangerButton>{t(m.settings_limit_decline)}</DangerButton>
        </form>
      </div>
    </section>
  )
}
