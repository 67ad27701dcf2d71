import { actOf } from '../../lib/auth/access.ts'
import { releasePayout } from '../../lib/payouts/reversals.queries.ts'
import { isUndecided, releaseRefusalOf } from '../../lib/payouts/reversals.ts'
import { NO_FIELDS, payoutAction } from './payout-action.tsx'

/** /app/:workspace/payouts/:id/release: makes the commissions of a reversed payout payable again. */
export default payoutAction({
  path: 'release',
  title: 'Reversed payout',
  heading: 'Release the commissions of this payout?',
  refusalOf: (payout) =>
    releaseRefusalOf(payout) ?? (isUndecided(payout) ? null : 'Its commissions are payable already.'),
  effect: ({ transferId }) => (
    <p>
      Its transfer <code>{transferId}</code> was reversed in Stripe. If the partner is still owed this amount,
      release its commissions, and the next payout run pays them again. If not, leave the payout as it is.
    </p>
  ),
  buttons: (
    <button type="submit" class="danger">
      Release commissions
    </button>
  ),
  ...NO_FIELDS,
  act: (c, id) => releasePayout(c.var.db, actOf(c), id),
  refusedAs: releaseRefusalOf,
  doneOf: () => 'released',
})
