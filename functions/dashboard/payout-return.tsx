import { actOf } from '../../lib/auth/access.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { PayoutReturn } from '../../lib/payouts/payouts.schemas.ts'
import { returnPayout } from '../../lib/payouts/returned.queries.ts'
import { isReturnable, returnRefusalOf } from '../../lib/payouts/returned.ts'
import { payoutAction, portalOf } from './payout-action.tsx'

/** /app/:workspace/payouts/:id/return: reports that a payout by bank came back. */
export default payoutAction({
  path: 'return',
  title: 'Returned payout',
  heading: 'Returned payout',
  refusalOf: (payout) => (isReturnable(payout) ? null : returnRefusalOf(payout, '')),
  effect: () => (
    <p>
      If your bank or payment service sent this payout back, its commissions are payable again, and the next
      payout run pays them. This cannot be undone.
    </p>
  ),
  reasonHint: 'The partner reads it by email and in the portal. For example: The account is closed.',
  buttons: <button type="submit">Mark as returned</button>,
  read: ({ reason = '' }) => checkForm(PayoutReturn, { input: { reason } }),
  act: (c, id, { reason }) => returnPayout(c.var.db, actOf(c), id, { reason, portalUrl: portalOf(c) }),
  refusedAs: (payout, { reason }) => returnRefusalOf(payout, reason),
  doneOf: () => 'returned',
})
