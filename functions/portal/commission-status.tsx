import type { Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { Day } from '../../lib/pages/layout/portal.tsx'
import { t } from '../../lib/pages/layout/text.ts'
import { Status } from '../../lib/pages/tables/ledger.tsx'
import {
  commissionStatus,
  type CommissionState as State,
} from '../../lib/rules/steps/commissions.ts'
import type { HoldReason } from '../../lib/rules/steps/holds.ts'

/** The values that determine a commission's status. */
export type CommissionState = State & {
  /** Why it is or was held. */
  holdReason: HoldReason | null
  /** A manager's reason. */
  holdNote: string | null
  /** Whether it was fully reversed. */
  isReversed: boolean
}

const LABELS: Record<ReturnType<typeof commissionStatus>, Message> = {
  pending: m.commission_pending,
  payable: m.commission_payable,
  processing: m.commission_processing,
  paid: m.commission_paid,
  held: m.commission_held,
  shadow: m.commission_shadow,
}

/** Only the portal shows "reversed", and "in review" for a held commission. */
export const CommissionStatus = ({ state, now }: { state: CommissionState; now: Date }) => {
  if (state.isReversed) return <Status status="reversed" label={t(m.commission_reversed)} />
  const status = commissionStatus(state, now)
  return <Status status={status} label={t(LABELS[status])} />
}

/** @param note a manager's reason */
const holdReason = (reason: HoldReason, note: string | null): string => {
  if (reason === 'manual') return t(m.hold_manual, { note: note ?? '' })
  return t(HELD[reason])
}

const HELD: Record<Exclude<HoldReason, 'manual'>, Message> = {
  self_referral: m.hold_self_referral,
  late_lead: m.hold_late_lead,
  unverified_address: m.hold_unverified_address,
  over_budget: m.hold_over_budget,
  possible_duplicate: m.hold_possible_duplicate,
}

type PaymentProps = {
  state: CommissionState
  now: Date
  /**
   * The reversed amount; negative if it was reinstated. If the commission was paid, another payout
   * compensates.
   */
  reversedCents?: bigint
}

/** When a commission is or was paid. */
export const PaymentDate = ({ state, now, reversedCents = 0n }: PaymentProps) => {
  const { payableAt, paidAt, isReversed, holdNote } = state
  const status = commissionStatus(state, now)
  if (paidAt) {
    const day = () => <Day at={paidAt} />
    if (reversedCents === 0n) return <>{t(m.paid_on, { day })}</>
    return <>{t(reversedCents > 0n ? m.paid_reversal_deducted : m.paid_reversal_added, { day })}</>
  }
  if (isReversed || status === 'shadow') return <>{t(m.not_payable)}</>
  if (status === 'processing') return <>{t(m.payout_processing)}</>
  if (status === 'held') return <>{state.holdReason && holdReason(state.holdReason, holdNote)}</>
  const day = () => <Day at={payableAt} />
  return <>{t(status === 'pending' ? m.payable_from : m.payable_since, { day })}</>
}
