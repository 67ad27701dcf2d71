import { actOf } from '../../../lib/auth/access.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { releasePayout } from '../../../lib/payouts/corrections/reversals.queries.ts'
import { isUndecided, releaseRefusalOf } from '../../../lib/payouts/corrections/reversals.ts'
import { NO_FIELDS, payoutAction } from './payout-action.tsx'

/**
 * /app/:workspace/payouts/:id/release: makes the commissions of a reversed payout payable again.
 */
export default payoutAction({
  path: 'release',
  title: m.payouts_reversed_payout,
  heading: m.payouts_release_commissions_payout,
  refusalOf: (payout) =>
    releaseRefusalOf(payout) ??
    (isUndecided(payout) ? null : inEnglish(m.payouts_commissions_payable_already)),
  effect: ({ transferId }) => <p>{t(m.payouts_transfer_reversed_stripe, { transferId, code })}</p>,
  buttons: () => (
    <button type="submit" class="danger">
      {t(m.payouts_release_commissions)}
    </button>
  ),
  ...NO_FIELDS,
  act: (c, id) => releasePayout(c.var.db, actOf(c), id),
  refusedAs: releaseRefusalOf,
  doneOf: () => 'released',
})
