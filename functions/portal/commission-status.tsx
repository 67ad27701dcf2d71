/** The status and payment of a commission, as its partner sees them. */

import { Status } from '../../lib/pages/ledger.tsx'
import { Day } from '../../lib/pages/portal.tsx'
import { commissionStatus } from '../../lib/tracking/commissions.ts'

/** What determines a commission's status. */
export type CommissionState = {
  payableAt: Date
  payoutId: string | null
  paidAt: Date | null
  /** Whether it was fully reversed. */
  isReversed: boolean
}

/** A commission's status. Only the portal shows "reversed". */
export const CommissionStatus = ({ state, now }: { state: CommissionState; now: Date }) => (
  <Status status={state.isReversed ? 'reversed' : commissionStatus(state, now)} />
)

/** When a commission is or was paid. */
export const PaymentDate = ({ state, now }: { state: CommissionState; now: Date }) => {
  const { payableAt, paidAt, isReversed } = state
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
  return (
    <>
      {status === 'pending' ? 'Payable from' : 'Payable since'} <Day at={payableAt} />
    </>
  )
}
