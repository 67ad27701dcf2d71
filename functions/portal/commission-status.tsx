/** The status and payment of a commission, as its partner sees them. */

import { Status } from '../../lib/pages/ledger.tsx'
import { Day } from '../../lib/pages/portal.tsx'
import { commissionStatus, type CommissionState as State } from '../../lib/tracking/commissions.ts'
import { type HoldReason, holdReasonForPartners } from '../../lib/tracking/holds.ts'

/** What determines a commission's status. */
export type CommissionState = State & {
  /** Why it is or was held. */
  holdReason: HoldReason | null
  /** A manager's reason. */
  holdNote: string | null
  /** Whether it was fully reversed. */
  isReversed: boolean
}

/** A commission's status. Only the portal shows "reversed", and "in review" for one that is held. */
export const CommissionStatus = ({ state, now }: { state: CommissionState; now: Date }) => {
  if (state.isReversed) return <Status status="reversed" />
  const status = commissionStatus(state, now)
  return <Status status={status} label={status === 'held' ? 'in review' : undefined} />
}

/** When a commission is or was paid. */
export const PaymentDate = ({ state, now }: { state: CommissionState; now: Date }) => {
  const { payableAt, paidAt, isReversed, holdReason, holdNote } = state
  const status = commissionStatus(state, now)
  if (paidAt) {
    return (
      <>
        Paid on <Day at={paidAt} />
      </>
    )
  }
  if (isReversed) return <>Not payable</>
  if (status === 'processing') return <>Payout processing</>
  if (status === 'held') return <>{holdReason && holdReasonForPartners(holdReason, holdNote)}</>
  return (
    <>
      {status === 'pending' ? 'Payable from' : 'Payable since'} <Day at={payableAt} />
    </>
  )
}
