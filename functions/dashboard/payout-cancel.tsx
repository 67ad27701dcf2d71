import { actOf } from '../../lib/auth/access.ts'
import { cancelPayout } from '../../lib/payouts/cancel.queries.ts'
import { cancelRefusalOf } from '../../lib/payouts/cancel.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'
import { NO_FIELDS, payoutAction } from './payout-action.tsx'

/** What canceling does, by how the payout is paid. */
const EFFECT: Record<PayoutMethod, string> = {
  stripe:
    'Nothing is sent from then on. If an earlier attempt may have succeeded, it takes up to a day until that is certain. Then its commissions are payable again.',
  manual:
    'Cancel it only if your bank will not pay it: its line may be in a file that you have downloaded. Its commissions are payable again.',
}

/** /app/:workspace/payouts/:id/cancel: cancels a payout that was not sent. */
export default payoutAction({
  path: 'cancel',
  title: 'Cancel a payout',
  heading: 'Cancel this payout?',
  refusalOf: (payout) =>
    cancelRefusalOf(payout) ?? (payout.status === 'processing' ? null : 'It is canceled already.'),
  effect: ({ method }) => <p>{EFFECT[method]}</p>,
  buttons: (
    <button type="submit" class="danger">
      Cancel payout
    </button>
  ),
  keep: 'Keep payout',
  ...NO_FIELDS,
  act: (c, id) => cancelPayout(c.var.db, actOf(c), id),
  refusedAs: cancelRefusalOf,
  doneOf: ({ status }) => (status === 'canceling' ? 'payout_canceling' : 'payout_canceled'),
})
