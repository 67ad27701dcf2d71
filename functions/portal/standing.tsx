/** How a commission stands, and when it is paid, as its partner is told. */

import { Status } from '../../lib/pages/ledger.tsx'
import { Day } from '../../lib/pages/portal.tsx'
import { commissionStatus } from '../../lib/tracking/commissions.ts'

/** What is known of a commission that says how it stands. */
export type Standing = {
  payableAt: Date
  payoutId: string | null
  paidAt: Date | null
  /** Whether all of it was taken back. */
  isReversed: boolean
}

/** The status of a commission. One that was taken back has one of its own, which no other list knows. */
export const StandingStatus = ({ standing, now }: { standing: Standing; now: Date }) => (
  <Status status={standing.isReversed ? 'reversed' : commissionStatus(standing, now)} />
)

/** When a commission is paid, by what has become of it. */
export const WhenPaid = ({ standing, now }: { standing: Standing; now: Date }) => {
  const { payableAt, paidAt, isReversed } = standing
  const status = commissionStatus(standing, now)
  if (paidAt) {
    return (
      <>
        Paid on <Day at={paidAt} />
      </>
    )
  }
  if (isReversed) return <>Not to be paid</>
  if (status === 'processing') return <>In a payout that is on its way</>
  return (
    <>
      {status === 'pending' ? 'Payable from' : 'Payable since'} <Day at={payableAt} />
    </>
  )
}
