import { actOf } from '../../../lib/auth/access.ts'
import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { cancelPayout } from '../../../lib/payouts/corrections/cancel.queries.ts'
import { cancelRefusalOf } from '../../../lib/payouts/corrections/cancel.ts'
import type { PayoutMethod } from '../../../lib/payouts/payouts.ts'
import { NO_FIELDS, payoutAction } from './payout-action.tsx'

/** What canceling does, by how the payout is paid. */
const EFFECT: Record<PayoutMethod, Message> = {
  stripe: m.payouts_nothing_sent_earlier,
  manual: m.payouts_cancel_only_bank,
}

/** /app/:workspace/payouts/:id/cancel: cancels a payout that was not sent. */
export default payoutAction({
  path: 'cancel',
  stops: true,
  title: m.payouts_cancel_a_payout,
  heading: m.payouts_cancel_this_payout,
  refusalOf: (payout) =>
    cancelRefusalOf(payout) ??
    (payout.status === 'processing' ? null : inEnglish(m.payouts_canceled_already)),
  effect: ({ method }) => <p>{t(EFFECT[method])}</p>,
  buttons: () => (
    <button type="submit" class="danger">
      {t(m.payouts_cancel_payout)}
    </button>
  ),
  keep: m.payouts_keep_payout,
  ...NO_FIELDS,
  act: (c, id) => cancelPayout(c.var.db, actOf(c), id),
  refusedAs: cancelRefusalOf,
  doneOf: ({ status }) => (status === 'canceling' ? 'payout_canceling' : 'payout_canceled'),
})
