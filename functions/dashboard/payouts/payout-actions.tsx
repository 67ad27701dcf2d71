/** The actions on one payout: cancel, release, resolve and return. */
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { inEnglish, type Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { code } from '../../../lib/pages/parts/tags.tsx'
import { cancelPayout } from '../../../lib/payouts/corrections/cancel.queries.ts'
import { cancelRefusalOf } from '../../../lib/payouts/corrections/cancel.ts'
import { resolvePayout } from '../../../lib/payouts/corrections/resolution.queries.ts'
import {
  resolutionRefusalOf,
  unresolvableReason,
} from '../../../lib/payouts/corrections/resolution.ts'
import { returnPayout } from '../../../lib/payouts/corrections/returned-payouts.queries.ts'
import { isReturnable, returnRefusalOf } from '../../../lib/payouts/corrections/returned-payouts.ts'
import { releasePayout } from '../../../lib/payouts/corrections/reversals.queries.ts'
import { isUndecided, releaseRefusalOf } from '../../../lib/payouts/corrections/reversals.ts'
import { PayoutResolution, PayoutReturn } from '../../../lib/payouts/payouts.schemas.ts'
import { type PayoutMethod, transferGroup } from '../../../lib/payouts/payouts.ts'
import { NO_FIELDS, payoutAction, portalOf } from './payout-action.tsx'

/** The effect of canceling, by payout method. */
const EFFECT: Record<PayoutMethod, Message> = {
  stripe: m.payouts_nothing_sent_earlier,
  manual: m.payouts_cancel_only_bank,
}

/** /app/:workspace/payouts/:id/cancel: cancels a payout that was not sent. */
const canceling = payoutAction({
  path: 'cancel',
  stops: true,
  title: m.payouts_cancel_a_payout,
  heading: m.payouts_cancel_this_payout,
  refusalOf: (payout) =>
    cancelRefusalOf(payout) ??
    (payout.status === 'processing' ? null : inEnglish(m.payouts_canceled_already)),
  effect: ({ method }) => <p>{t(EFFECT[method])}</p>,
  buttons: () => <DangerButton>{t(m.payouts_cancel_payout)}</DangerButton>,
  keep: m.payouts_keep_payout,
  ...NO_FIELDS,
  act: (c, id) => cancelPayout(c.var.db, actOf(c), id),
  refusedAs: cancelRefusalOf,
  doneOf: ({ status }) => (status === 'canceling' ? 'payout_canceling' : 'payout_canceled'),
})

/** /app/:workspace/payouts/:id/release: makes a reversed payout's commissions payable again. */
const releasing = payoutAction({
  path: 'release',
  title: m.payouts_reversed_payout,
  heading: m.payouts_release_commissions_payout,
  refusalOf: (payout) =>
    releaseRefusalOf(payout) ??
    (isUndecided(payout) ? null : inEnglish(m.payouts_commissions_payable_already)),
  effect: ({ transferId }) => <p>{t(m.payouts_transfer_reversed_stripe, { transferId, code })}</p>,
  buttons: () => <DangerButton>{t(m.payouts_release_commissions)}</DangerButton>,
  ...NO_FIELDS,
  act: (c, id) => releasePayout(c.var.db, actOf(c), id),
  refusedAs: releaseRefusalOf,
  doneOf: () => 'released',
})

/** The effect of each decision. */
export const ResolutionEffect = () => (
  <ul>
    <li>{t(m.payouts_sent_payout_paid)}</li>
    <li>{t(m.payouts_not_sent_commissions)}</li>
  </ul>
)

/**
 * The Enter key presses a form's first button. Here it does nothing, because no decision is a
 * default.
 */
export const ResolutionButtons = () => (
  <>
    <button type="submit" disabled hidden></button>
    <button type="submit" name="outcome" value="not_sent" class="danger">
      {t(m.payouts_mark_not_sent)}
    </button>
    <button type="submit" name="outcome" value="sent" class="quiet">
      {t(m.payouts_mark_as_sent)}
    </button>
  </>
)

/** /app/:workspace/payouts/:id/resolve: decides whether a payout was sent, if Stripe cannot say. */
const resolving = payoutAction({
  path: 'resolve',
  title: m.payouts_unclear_payout,
  heading: m.payouts_was_it_sent,
  refusalOf: unresolvableReason,
  effect: ({ id, unreachableSince, lastError }) => (
    <>
      <p>
        {t(m.payouts_unreachable_since, {
          since: () => unreachableSince && <Time at={unreachableSince} />,
          lastError: lastError ?? '',
        })}
      </p>
      <p>{t(m.payouts_find_out_by_group, { group: transferGroup(id), code })}</p>
      <ResolutionEffect />
    </>
  ),
  reasonHint: m.payouts_how_you_know,
  buttons: () => <ResolutionButtons />,
  read: ({ outcome, reason = '' }) => checkForm(PayoutResolution, { input: { outcome, reason } }),
  act: (c, id, resolution) =>
    resolvePayout(c.var.db, actOf(c), id, { ...resolution, portalUrl: portalOf(c) }),
  refusedAs: resolutionRefusalOf,
  doneOf: (_, { outcome }) => `resolved_${outcome}`,
})

/** /app/:workspace/payouts/:id/return: reports that the bank returned a payout. */
const returning = payoutAction({
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

export default createRoutes<WorkspaceEnv>()
  .route('/', canceling)
  .route('/', releasing)
  .route('/', resolving)
  .route('/', returning)
