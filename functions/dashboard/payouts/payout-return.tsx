import { actOf } from '../../../lib/auth/access.ts'
import * as m from '../../../lib/languages/messages.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { returnPayout } from '../../../lib/payouts/corrections/returned-payouts.queries.ts'
import { isReturnable, returnRefusalOf } from '../../../lib/payouts/corrections/returned-payouts.ts'
import { PayoutReturn } from '../../../lib/payouts/payouts.schemas.ts'
import { payoutAction, portalOf } from './payout-action.tsx'

/** /app/:workspace/payouts/:id/return: reports that a payout by bank came back. */
export default payoutAction({
  path: 'return',
  title: m.payouts_returned_payout,
  heading: m.payouts_returned_payout,
  refusalOf: (payout) => (isReturnable(payout) ? null : returnRefusalOf(payout, '')),
  effect: () => <p>{t(m.payouts_bank_payment_service)}</p>,
  reasonHint: m.payouts_partner_reads_email,
  buttons: () => <button type="submit">{t(m.payouts_mark_as_returned)}</button>,
  read: ({ reason = '' }) => checkForm(PayoutReturn, { input: { reason } }),
  act: (c, id, { reason }) =>
    returnPayout(c.var.db, actOf(c), id, { reason, portalUrl: portalOf(c) }),
  refusedAs: (payout, { reason }) => returnRefusalOf(payout, reason),
  doneOf: () => 'returned',
})
